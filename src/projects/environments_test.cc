#include "projects/environments.h"

#include "projects/projects_fixture.h"
#include "projects/restoring.h"

namespace mb::projects {
namespace {

using Strings = std::vector<std::string>;

class EnvironmentsTest : public ProjectsFixture {
 protected:
  std::vector<doc::Document> copyJobs() {
    std::vector<doc::Document> jobs = store_.all({store::kControlProject, jobs::kJobs, 0});
    std::erase_if(jobs, [](const doc::Document& job) { return job.view().stringOr("kind") != "environment.copy"; });
    return jobs;
  }
  EnvironmentsTest() : ProjectsFixture(false, 2) {
    ada_ = person("ada@example.com");
    root_ = made(ada_);
  }
  std::string creating(const policy::Caller& caller, const ProjectView& root, const std::string& label) {
    return codeOf(run(environments_->create(by(caller), root.id.str(), {label, {}})));
  }
  std::string promoting(const policy::Caller& caller, const std::string& from, const std::string& to,
                        bool dryRun = false) {
    return codeOf(run(environments_->promote(by(caller), {from, to}, ImportMode{.dryRun = dryRun, .planDigest = {}})));
  }
  std::string removing(const policy::Caller& caller, const ProjectView& project) {
    return codeOf(run(projects_->remove(by(caller), project.id.str())));
  }
  Strings labels() {
    Strings out;
    for (const auto& entry : recordOf(root_.id).environments.value_or(std::vector<EnvironmentEntry>{})) {
      out.push_back(entry.label);
    }
    return out;
  }

  policy::Caller ada_;
  ProjectView root_;
};

TEST_F(EnvironmentsTest, IsAProjectWithAParent) {
  copies_.warnings = {"index a: no"};
  const auto made = run(environments_->create(by(ada_), root_.id.str(), {"staging", "teal"}));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->slug, "shop-staging");
  EXPECT_EQ(made->role, "Owner");
  ASSERT_TRUE(made->warnings);
  ASSERT_EQ(made->warnings->size(), 1U);
  EXPECT_EQ(made->warnings->front().code, "not-copied");
  EXPECT_EQ(made->warnings->front().message, "index a: no");
  EXPECT_EQ(copies_.calls, Strings{"clone shop shop-staging"});
  EXPECT_EQ(copies_.lastCaller->kind, policy::CallerKind::member);
  EXPECT_EQ(copies_.lastCaller->project, numberOf(*made));
  EXPECT_TRUE(copies_.lastCaller->may("config:manage"));

  const auto seen = run(projects_->detail(by(ada_), made->id.str()));
  EXPECT_EQ(seen->parentId.value, root_.id);
  EXPECT_EQ(seen->environment.value, "staging");
  EXPECT_EQ(seen->color.value, "teal");
  EXPECT_EQ(seen->name, "Shop (staging)");
  EXPECT_FALSE(seen->warnings);
  EXPECT_EQ(run(projects_->list(by(ada_)))->size(), 2u);
  EXPECT_EQ(auditActions(numberOf(root_)), (Strings{"project.created", "environment.created"}));
  EXPECT_EQ(auditActions(numberOf(*made)), Strings{"project.created"});
  EXPECT_EQ((*run(directory_.onlyOne()))->id, root_.id);
}

TEST_F(EnvironmentsTest, IsThereWithAWarningWhereNothingWasCopied) {
  copies_.fails = ErrorCode::internal;
  const ProjectView made = environment(ada_, root_, "staging");
  ASSERT_TRUE(made.warnings);
  EXPECT_EQ(made.warnings->size(), 1u);
  EXPECT_EQ(codeOf(run(projects_->token(by(ada_), made.id.str()))), "");
  EXPECT_TRUE(copyJobs().empty());
}

TEST_F(EnvironmentsTest, AreCopiedLaterWhereTheServerIsBusy) {
  copies_.fails = ErrorCode::unavailable;
  const auto warnings = environment(ada_, root_, "staging").warnings;
  ASSERT_TRUE(warnings && warnings->size() == 1);
  EXPECT_EQ(warnings->front().message, "the configuration is copied in some minutes");
  EXPECT_EQ(copyJobs().size(), 1u);
}

// The state that a server leaves which stops in the middle of the copying.
TEST_F(EnvironmentsTest, AreCopiedLaterWhereTheServerWentDown) {
  std::vector<doc::Document> left;
  copies_.during = [&] { left = copyJobs(); };
  environment(ada_, root_, "staging");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_TRUE(copyJobs().empty());

  store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  write.insert(store::Insert{.collection = {store::kControlProject, jobs::kJobs, 0}, .document = left[0]});
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  std::promise<void> copied;
  copies_.during = [&] { copied.set_value(); };
  clock_.set(kStartMs + 120'000);
  jobs::Queue queue({store_, cores_, ids_, clock_, master_});
  Environments environments(*deps_, copies_, queue);
  queue.start();
  EXPECT_EQ(copied.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  ASSERT_TRUE(queue.stop(std::chrono::seconds(30)));
  EXPECT_EQ(copies_.calls, (Strings{"clone shop shop-staging", "clone shop shop-staging"}));
  EXPECT_TRUE(copyJobs().empty());
}

TEST_F(EnvironmentsTest, ForOwnersOfTheRoot) {
  const auto eve = person("eve@example.com");
  EXPECT_EQ(creating(eve, root_, "staging"), "NOT_FOUND");
  EXPECT_EQ(creating(eve, root_, "Bad label"), "NOT_FOUND");
  for (const char* role : {"Admin", "Editor", "Viewer"}) {
    const auto user = person(std::string(role) + "@example.com");
    join(ada_, root_, user, role);
    EXPECT_EQ(creating(user, root_, "staging"), "FORBIDDEN") << role;
  }
  EXPECT_EQ(run(projects_->list(by(ada_)))->size(), 1u);
  EXPECT_TRUE(copies_.calls.empty());
}

TEST_F(EnvironmentsTest, LabelsAreUniqueAmongTheLiveOnes) {
  const ProjectView first = environment(ada_, root_, "staging");
  EXPECT_EQ(creating(ada_, root_, "staging"), "CONFLICT");
  EXPECT_EQ(creating(ada_, root_, "production"), "VALIDATION");
  EXPECT_EQ(creating(ada_, root_, "Q"), "VALIDATION");
  EXPECT_EQ(creating(ada_, made(ada_, "Other"), "staging"), "");
  ASSERT_TRUE(run(projects_->suspend(by(ada_), first.id.str())));
  EXPECT_EQ(creating(ada_, root_, "staging"), "CONFLICT");
  EXPECT_EQ(removing(ada_, first), "");
  EXPECT_EQ(creating(ada_, root_, "staging"), "");
  EXPECT_EQ(labels(), Strings{"staging"});
}

TEST_F(EnvironmentsTest, AreNotNested) {
  const ProjectView first = environment(ada_, root_, "staging");
  EXPECT_EQ(creating(ada_, first, "deeper"), "VALIDATION");
}

TEST_F(EnvironmentsTest, KeepTheirRootFromBeingDeleted) {
  const ProjectView first = environment(ada_, root_, "staging");
  const ProjectView second = environment(ada_, root_, "qa");
  EXPECT_EQ(removing(ada_, root_), "CONFLICT");
  EXPECT_EQ(removing(ada_, first), "");
  EXPECT_EQ(labels(), Strings{"qa"});
  EXPECT_EQ(removing(ada_, root_), "CONFLICT");
  ASSERT_TRUE(run(projects_->suspend(by(ada_), second.id.str())));
  EXPECT_EQ(removing(ada_, root_), "CONFLICT");
  EXPECT_EQ(run(projects_->detail(by(ada_), root_.id.str()))->status, "active");
  EXPECT_EQ(removing(ada_, second), "");
  EXPECT_EQ(auditActions(numberOf(root_)), (Strings{"project.created", "environment.created", "environment.created",
                                                    "environment.deleted", "environment.deleted"}));
  EXPECT_EQ(removing(ada_, root_), "");
}

TEST_F(EnvironmentsTest, ArePurgedWithAllThatIsTheirs) {
  const ProjectView first = environment(ada_, root_, "staging");
  ASSERT_TRUE(run(members_->add(by(ada_), first.id.str(), {"later@example.com", "Viewer"})));
  ASSERT_EQ(removing(ada_, first), "");
  clock_.advance(31LL * 24 * 3600 * 1000);
  audit::Retention retention(store_, ids_, clock_, 0);
  Purge purge(*deps_, retention, systemCollections());
  EXPECT_EQ(*run(purge.pass()), 1u);
  EXPECT_EQ(store_.all(controlCollection(kProjects)).size(), 1u);
  EXPECT_EQ(store_.all(controlCollection(kMemberships)).size(), 1u);
  EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
  EXPECT_EQ(environment(ada_, root_, "staging").slug, "shop-staging");
}

TEST_F(EnvironmentsTest, HaveTheMembersOfTheirRoot) {
  const auto bob = person("bob@example.com");
  const auto cleo = person("cleo@example.com");
  join(ada_, root_, bob, "Owner");
  join(ada_, root_, cleo, "Viewer");
  ASSERT_TRUE(run(members_->add(by(ada_), root_.id.str(), {"later@example.com", "Editor"})));
  const size_t templatedMails = box_.mails().size();
  // Requested by the owner who joined later.
  const ProjectView made = environment(bob, root_, "staging");
  EXPECT_EQ(membersOf(ada_, made), membersOf(ada_, root_));
  EXPECT_EQ(recordOf(made.id).owners, (Strings{ada_.id, bob.id}));
  EXPECT_EQ(box_.mails().size(), templatedMails);
  // From here on the two projects' members are independent.
  ASSERT_TRUE(run(members_->remove(by(ada_), made.id.str(), bob.id)));
  EXPECT_EQ(run(projects_->detail(by(bob), root_.id.str()))->role, "Owner");
  EXPECT_EQ(codeOf(run(projects_->detail(by(bob), made.id.str()))), "NOT_FOUND");

  const auto later = person("later@example.com");
  EXPECT_EQ(run(projects_->detail(by(later), root_.id.str()))->role, "Editor");
  EXPECT_EQ(run(projects_->detail(by(later), made.id.str()))->role, "Editor");
  EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
}

TEST_F(EnvironmentsTest, LeaveOutWhoHasTooManyInvites) {
  for (uint64_t i = 1; i < kInvitesPerAddress; ++i) {
    const std::string id = made(ada_, "P" + std::to_string(i)).id.str();
    ASSERT_TRUE(run(members_->add(by(ada_), id, {"new@example.com", "Viewer"})));
  }
  ASSERT_TRUE(run(members_->add(by(ada_), root_.id.str(), {"new@example.com", "Viewer"})));
  const ProjectView made = environment(ada_, root_, "staging");
  EXPECT_EQ(made.warnings->size(), 1u);
  EXPECT_EQ(membersOf(ada_, made), Strings{"ada@example.com Owner active"});
}

TEST_F(EnvironmentsTest, SlugsStayUnique) {
  EXPECT_EQ(made(ada_, "Shop staging").slug, "shop-staging");
  EXPECT_EQ(environment(ada_, root_, "staging").slug, "shop-staging-2");
}

TEST_F(EnvironmentsTest, PromotionIsWithinTheFamily) {
  const std::string staging = environment(ada_, root_, "staging").id.str();
  const std::string qa = environment(ada_, root_, "qa").id.str();
  const std::string root = root_.id.str();
  const std::string other = made(ada_, "Other").id.str();
  const std::string cousin = environment(ada_, made(ada_, "Third"), "qa").id.str();
  copies_.calls.clear();
  EXPECT_EQ(promoting(ada_, staging, root), "");
  EXPECT_EQ(promoting(ada_, root, qa), "");
  EXPECT_EQ(promoting(ada_, qa, staging, true), "");
  EXPECT_EQ(copies_.calls, (Strings{"promote shop-staging shop", "promote shop shop-qa", "plan shop-qa shop-staging"}));
  for (const std::string& stranger : {other, cousin, root}) {
    EXPECT_EQ(promoting(ada_, root, stranger), "VALIDATION");
    EXPECT_EQ(promoting(ada_, stranger, root), "VALIDATION");
  }
  EXPECT_EQ(promoting(ada_, root, "proj_nothing"), "NOT_FOUND");
  EXPECT_EQ(promoting(ada_, "shop", staging), "NOT_FOUND");
  EXPECT_EQ(copies_.calls.size(), 3u);
}

TEST_F(EnvironmentsTest, PromotionNeedsOwnersAndActiveProjects) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const auto bob = person("bob@example.com");
  const std::string from = staging.id.str();
  const std::string to = root_.id.str();
  EXPECT_EQ(promoting(bob, from, to), "NOT_FOUND");
  join(ada_, staging, bob, "Owner");
  EXPECT_EQ(promoting(bob, from, to), "NOT_FOUND");
  join(ada_, root_, bob, "Admin");
  EXPECT_EQ(promoting(bob, from, to), "FORBIDDEN");
  EXPECT_EQ(promoting(bob, to, from, true), "FORBIDDEN");
  for (const std::string& one : {from, to}) {
    ASSERT_TRUE(run(projects_->suspend(by(ada_), one)));
    EXPECT_EQ(promoting(ada_, from, to), "PROJECT_SUSPENDED");
    EXPECT_EQ(promoting(ada_, to, from), "PROJECT_SUSPENDED");
    ASSERT_TRUE(run(projects_->resume(by(ada_), one)));
  }
  EXPECT_EQ(promoting(ada_, from, to), "");
}

TEST_F(EnvironmentsTest, PromotionsAreOnRecordInBoth) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const auto noted = [&](const ProjectView& project) {
    return std::ranges::count(auditActions(numberOf(project)), "environment.promoted");
  };
  EXPECT_EQ(promoting(ada_, staging.id.str(), root_.id.str(), true), "");
  copies_.fails = ErrorCode::validation;
  EXPECT_EQ(promoting(ada_, staging.id.str(), root_.id.str()), "VALIDATION");
  EXPECT_EQ(noted(root_) + noted(staging), 0);
  // The copy may have been done in part.
  copies_.fails = ErrorCode::unavailable;
  EXPECT_EQ(promoting(ada_, staging.id.str(), root_.id.str()), "UNAVAILABLE");
  copies_.fails.reset();
  EXPECT_EQ(promoting(ada_, staging.id.str(), root_.id.str()), "");
  EXPECT_EQ(noted(root_), 2);
  EXPECT_EQ(noted(staging), 2);
  const auto entries = store_.all({numberOf(root_), audit::kAuditCollection, 0});
  const auto details = entries.back().view().find("details")->asDocument();
  EXPECT_EQ(details.stringOr("from"), staging.id.str());
  EXPECT_EQ(details.stringOr("to"), root_.id.str());
  EXPECT_EQ(details.find("summary")->asDocument().find("create")->toInteger(), 3);
}

// ---- restored from a backup

class EnvironmentsComingBack : public EnvironmentsTest {
 protected:
  Result<RestoredProject> restored(const ProjectRecord& record, std::optional<std::string> slug = {},
                                   std::vector<BackedUpMember> members = {}, bool verifiedOnly = false) {
    Restoring restoring(store_, ids_, clock_, auditor_);
    const std::string owner = verifiedOnly ? "" : "ada@example.com";
    Result<> begun = run(restoring.begin({record, std::move(slug), owner, std::move(members), verifiedOnly}));
    if (!begun) return fail(std::move(begun).error());
    return run(restoring.publish());
  }
};

TEST_F(EnvironmentsComingBack, ToTheirRoot) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const ProjectRecord record = recordOf(staging.id);
  ASSERT_EQ(removing(ada_, staging), "");
  ASSERT_EQ(codeOf(restored(record)), "");
  EXPECT_EQ(labels(), Strings{"staging"});
  EXPECT_EQ(removing(ada_, root_), "CONFLICT");
  EXPECT_EQ(creating(ada_, root_, "staging"), "CONFLICT");
}

TEST_F(EnvironmentsComingBack, NotUnderALabelThatIsTaken) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const ProjectRecord record = recordOf(staging.id);
  ASSERT_EQ(removing(ada_, staging), "");
  environment(ada_, root_, "staging");
  EXPECT_EQ(codeOf(restored(record)), "CONFLICT");
  const auto fresh = restored(record, "shop-old-staging");
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(recordOf(fresh->id).parentId.value);
  EXPECT_FALSE(recordOf(fresh->id).environment.value);
}

// Any user may have typed in an address, so an unverified one gives no access to a project.
TEST_F(EnvironmentsComingBack, WithMembersWhoseAddressIsVerified) {
  const ProjectRecord record = recordOf(root_.id);
  std::vector<BackedUpMember> members = {{"ada@example.com", "Owner", clock_.now()}};
  EXPECT_EQ(codeOf(restored(record, "copy", members, true)), "CONFLICT");
  ASSERT_TRUE(run(identity_.users().addProven(identity::Realm::platform(), "cleo@example.com", {}, soon())));
  members.push_back({"cleo@example.com", "Owner", clock_.now()});
  const auto copy = restored(record, "copy", members, true);
  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(copy->members, 1u);
  EXPECT_EQ(copy->invited, 1u);
}

// A registration compares the count of an address to notice the invites that it did not read.
TEST_F(EnvironmentsComingBack, WithInvitesThatCountOnTopOfOthers) {
  Restoring restoring(store_, ids_, clock_, auditor_);
  std::vector<BackedUpMember> members = {{"eve@example.com", "Viewer", clock_.now()}};
  ASSERT_TRUE(run(restoring.begin({recordOf(root_.id), "copy", "ada@example.com", std::move(members), false})));
  store_.beforeNextWrite([&] {
    EXPECT_TRUE(
        store::testing::runOn(cores_, 1, members_->add(by(ada_), root_.id.str(), {"eve@example.com", "Viewer"})));
  });
  ASSERT_TRUE(run(restoring.publish()));
  const auto addresses = store_.all(controlCollection(kInvitedAddresses));
  ASSERT_EQ(addresses.size(), 1u);
  EXPECT_EQ(fromStore<InvitedAddress>(addresses[0].view())->revision, 2);
}

TEST_F(EnvironmentsComingBack, AsRootsWhereTheirRootIsGone) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const ProjectRecord record = recordOf(staging.id);
  const ProjectRecord rootBefore = recordOf(root_.id);
  ASSERT_EQ(removing(ada_, staging), "");
  ASSERT_EQ(removing(ada_, root_), "");
  ASSERT_EQ(codeOf(restored(record)), "");
  EXPECT_FALSE(recordOf(staging.id).parentId.value);
  EXPECT_EQ(creating(ada_, staging, "qa"), "");
  // The root as it was when it had one.
  ASSERT_EQ(codeOf(restored(rootBefore)), "");
  EXPECT_TRUE(labels().empty());
}

}  // namespace
}  // namespace mb::projects
