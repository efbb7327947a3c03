#include "projects/transfers.h"

#include "projects/payer.h"
#include "projects/projects_fixture.h"
#include "projects/restoring.h"

namespace mb::projects {
namespace {

using plans::Limit;

class TransfersTest : public ProjectsFixture {
 protected:
  TransfersTest() : ProjectsFixture(false, 4) {
    ada_ = person("ada@example.com");
    bob_ = person("bob@example.com");
    root_ = made(ada_);
    join(ada_, root_, bob_, "Owner");
  }

  std::string offering(const policy::Caller& caller, const policy::Caller& to) {
    return codeOf(run(transfers_->offer(by(caller), root_.id.str(), {to.id})));
  }
  std::string accepting(const policy::Caller& caller) {
    return codeOf(run(transfers_->accept(by(caller), root_.id.str())));
  }
  std::string withdrawing(const policy::Caller& caller) {
    return codeOf(run(transfers_->withdraw(by(caller), root_.id.str())));
  }
  std::string changingRole(const policy::Caller& caller, const policy::Caller& of, const std::string& role) {
    return codeOf(run(members_->changeRole(by(caller), root_.id.str(), of.id, role)));
  }
  OrgId organizationIdOf(const policy::Caller& user) { return run(organizationOf(store_, user.id))->id; }
  bool pays(const policy::Caller& user, const ProjectView& project) {
    return recordOf(project.id).organizationId == organizationIdOf(user);
  }
  bool isOffered() { return recordOf(root_.id).transfer.has_value(); }
  std::vector<std::string> transferActions() {
    std::vector<std::string> actions = auditActions(numberOf(root_));
    std::erase_if(actions, [](const std::string& action) { return !action.starts_with("project.transfer"); });
    return actions;
  }

  policy::Caller ada_;
  policy::Caller bob_;
  ProjectView root_;
};

TEST_F(TransfersTest, MovesToTheOwnerWhoAccepts) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const store::ProjectNo rootNumber = numberOf(root_);
  const store::ProjectNo stagingNumber = numberOf(staging);
  EXPECT_TRUE(*run(transfers_->offer(by(ada_), root_.id.str(), {bob_.id})));
  EXPECT_TRUE(isOffered());
  EXPECT_TRUE(pays(ada_, root_));
  const uint64_t rootEpoch = store_.epoch(rootNumber).value;
  const uint64_t stagingEpoch = store_.epoch(stagingNumber).value;
  EXPECT_EQ(accepting(bob_), "");
  EXPECT_TRUE(pays(bob_, root_));
  EXPECT_TRUE(pays(bob_, staging));
  EXPECT_FALSE(isOffered());
  EXPECT_GT(store_.epoch(rootNumber).value, rootEpoch);
  EXPECT_GT(store_.epoch(stagingNumber).value, stagingEpoch);
  EXPECT_EQ(run(projects_->detail(by(ada_), staging.id.str()))->organizationId, organizationIdOf(bob_));
  EXPECT_EQ(transferActions(), (std::vector<std::string>{"project.transferOffered", "project.transferred"}));
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  EXPECT_TRUE(pays(bob_, environment(ada_, root_, "qa")));
}

TEST_F(TransfersTest, OnlyTheUserToWhomItIsOfferedAccepts) {
  const auto cleo = person("cleo@example.com");
  const auto eve = person("eve@example.com");
  const auto viewer = person("viewer@example.com");
  join(ada_, root_, cleo, "Owner");
  join(ada_, root_, viewer, "Viewer");
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  EXPECT_EQ(offering(ada_, bob_), "");
  for (const policy::Caller& other : {ada_, cleo, eve, viewer}) EXPECT_EQ(accepting(other), "NOT_FOUND") << other.email;
  EXPECT_TRUE(pays(ada_, root_));
  // A later offer takes the place of the earlier one.
  EXPECT_EQ(offering(bob_, cleo), "");
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  EXPECT_EQ(accepting(cleo), "");
  EXPECT_TRUE(pays(cleo, root_));
}

TEST_F(TransfersTest, OffersAreMadeByOwnersToOtherOwners) {
  const auto admin = person("admin@example.com");
  const auto eve = person("eve@example.com");
  join(ada_, root_, admin, "Admin");
  EXPECT_EQ(offering(admin, bob_), "FORBIDDEN");
  EXPECT_EQ(offering(admin, admin), "FORBIDDEN");
  EXPECT_EQ(offering(eve, bob_), "NOT_FOUND");
  for (const std::string& userId : {admin.id, eve.id, std::string("user_nobody"), std::string()}) {
    const auto refused = run(transfers_->offer(by(ada_), root_.id.str(), {userId}));
    EXPECT_EQ(codeOf(refused), "VALIDATION") << userId;
    EXPECT_EQ(refused.error().details().at(0).path, "/userId");
  }
  EXPECT_EQ(offering(bob_, ada_), "CONFLICT");
  EXPECT_FALSE(isOffered());
  EXPECT_TRUE(transferActions().empty());
}

TEST_F(TransfersTest, AnOfferEndsAfterSevenDays) {
  EXPECT_EQ(offering(ada_, bob_), "");
  clock_.advance(kTransferOfferMs);
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  EXPECT_EQ(withdrawing(ada_), "NOT_FOUND");
  EXPECT_EQ(offering(ada_, bob_), "");
  clock_.advance(kTransferOfferMs - 1);
  EXPECT_EQ(accepting(bob_), "");
}

TEST_F(TransfersTest, AnOfferEndsWithTheRoleOfEitherUser) {
  EXPECT_EQ(offering(ada_, bob_), "");
  EXPECT_EQ(changingRole(ada_, bob_, "Admin"), "");
  EXPECT_FALSE(isOffered());
  EXPECT_EQ(changingRole(ada_, bob_, "Owner"), "");
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");

  EXPECT_EQ(offering(ada_, bob_), "");
  ASSERT_TRUE(run(members_->remove(by(bob_), root_.id.str(), ada_.id)));
  EXPECT_FALSE(isOffered());
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  // No user pays now, and any Owner may take it.
  EXPECT_EQ(offering(bob_, bob_), "");
  EXPECT_TRUE(pays(bob_, root_));
}

TEST_F(TransfersTest, AnOfferStaysWhereOthersChange) {
  const auto cleo = person("cleo@example.com");
  join(ada_, root_, cleo, "Owner");
  EXPECT_EQ(offering(ada_, bob_), "");
  EXPECT_EQ(changingRole(ada_, cleo, "Viewer"), "");
  ASSERT_TRUE(run(projects_->suspend(by(ada_), root_.id.str())));
  EXPECT_EQ(accepting(bob_), "");
}

TEST_F(TransfersTest, AnyOwnerWithdraws) {
  const auto admin = person("admin@example.com");
  join(ada_, root_, admin, "Admin");
  EXPECT_EQ(withdrawing(ada_), "NOT_FOUND");
  EXPECT_EQ(offering(ada_, bob_), "");
  EXPECT_EQ(withdrawing(admin), "FORBIDDEN");
  EXPECT_EQ(withdrawing(person("eve@example.com")), "NOT_FOUND");
  EXPECT_EQ(withdrawing(bob_), "");
  EXPECT_EQ(withdrawing(bob_), "NOT_FOUND");
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  EXPECT_EQ(transferActions(), (std::vector<std::string>{"project.transferOffered", "project.transferWithdrawn"}));
}

TEST_F(TransfersTest, OnesOwnIdTakesItAtOnce) {
  const auto cleo = person("cleo@example.com");
  join(ada_, root_, cleo, "Owner");
  EXPECT_EQ(offering(ada_, cleo), "");
  EXPECT_FALSE(*run(transfers_->offer(by(bob_), root_.id.str(), {bob_.id})));
  EXPECT_TRUE(pays(bob_, root_));
  EXPECT_EQ(accepting(cleo), "NOT_FOUND");
  // It is theirs already: nothing changes.
  const size_t recorded = transferActions().size();
  EXPECT_EQ(offering(bob_, bob_), "");
  EXPECT_EQ(transferActions().size(), recorded);
}

TEST_F(TransfersTest, EnvironmentsMoveWithTheirRootOnly) {
  const std::string staging = environment(ada_, root_, "staging").id.str();
  EXPECT_EQ(codeOf(run(transfers_->offer(by(ada_), staging, {bob_.id}))), "VALIDATION");
  EXPECT_EQ(codeOf(run(transfers_->offer(by(bob_), staging, {bob_.id}))), "VALIDATION");
  EXPECT_EQ(codeOf(run(transfers_->accept(by(bob_), staging))), "VALIDATION");
  EXPECT_EQ(codeOf(run(transfers_->withdraw(by(bob_), staging))), "VALIDATION");
}

TEST_F(TransfersTest, TheOfferIsMailed) {
  EXPECT_EQ(offering(ada_, bob_), "");
  std::vector<mail::TemplatedMail> offers = box_.to("bob@example.com");
  std::erase_if(offers, [](const auto& one) { return one.kind != mail::MailTemplate::projectOffered; });
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers[0].inviter, "ada@example.com");
  EXPECT_EQ(offers[0].brand.name, "Shop");
  EXPECT_TRUE(offers[0].link.starts_with("http://localhost/"));
  EXPECT_EQ(offers[0].validUntil->ms, kStartMs + kTransferOfferMs);
}

TEST_F(TransfersTest, ADeletedProjectHasNoOffer) {
  EXPECT_EQ(offering(ada_, bob_), "");
  const ProjectRecord record = recordOf(root_.id);
  ASSERT_TRUE(run(projects_->remove(by(ada_), root_.id.str())));
  EXPECT_FALSE(isOffered());
  Restoring restoring(store_, ids_, clock_, auditor_);
  ASSERT_TRUE(run(restoring.begin({record, {}, "bob@example.com", {{"ada@example.com", "Owner", {}}}, false})));
  ASSERT_TRUE(run(restoring.publish()));
  EXPECT_FALSE(isOffered());
  EXPECT_EQ(accepting(bob_), "NOT_FOUND");
  // Nor does a restore move it to a user who did not accept it.
  EXPECT_TRUE(pays(ada_, root_));
}

// ---- the limit of the user who gets it

TEST_F(TransfersTest, MeetsMaxProjects) {
  const ProjectView own = made(bob_);
  limit(Limit::maxProjects, 1);
  EXPECT_EQ(offering(ada_, bob_), "");
  EXPECT_EQ(accepting(bob_), "PLAN_LIMIT");
  EXPECT_EQ(offering(bob_, bob_), "PLAN_LIMIT");
  EXPECT_TRUE(pays(ada_, root_));
  EXPECT_TRUE(isOffered());
  ASSERT_TRUE(run(projects_->remove(by(bob_), own.id.str())));
  EXPECT_EQ(accepting(bob_), "");
  EXPECT_EQ(codeOf(run(projects_->create(by(bob_), {"Shop", {}}))), "PLAN_LIMIT");
}

TEST_F(TransfersTest, ExactlyTheLimitMovesAtOnce) {
  limit(Limit::maxProjects, 1000);
  for (int round = 0; round < 20; ++round) {
    const auto taker = person(fmt::format("taker{}@example.com", round));
    std::vector<ProjectView> offered;
    for (int i = 0; i < 3; ++i) {
      offered.push_back(made(ada_));
      join(ada_, offered.back(), taker, "Owner");
    }
    limit(Limit::maxProjects, 2);
    std::vector<std::function<Task<>()>> moves;
    for (const ProjectView& project : offered) {
      moves.emplace_back([&, id = project.id.str()] { return dropping(transfers_->offer(by(taker), id, {taker.id})); });
    }
    moves.emplace_back([&] { return dropping(projects_->create(by(taker), {"Own", {}})); });
    const auto codes = atOnce(std::move(moves));
    EXPECT_EQ(std::ranges::count(codes, ""), 2);
    EXPECT_EQ(std::ranges::count(codes, "PLAN_LIMIT"), 2);
    limit(Limit::maxProjects, 1000);
  }
}

// ---- at the same time

TEST_F(TransfersTest, AnEnvironmentThatIsBeingCreatedMovesToo) {
  store_.beforeNextWrite(
      [&] { EXPECT_TRUE(store::testing::runOn(cores_, 1, transfers_->offer(by(bob_), root_.id.str(), {bob_.id}))); });
  EXPECT_TRUE(pays(bob_, environment(ada_, root_, "staging")));
  // And one that is created between the read of the environments and the move.
  store_.beforeNextWrite([&] {
    EXPECT_TRUE(store::testing::runOn(cores_, 1, environments_->create(by(ada_), root_.id.str(), {"qa", {}})));
  });
  EXPECT_EQ(offering(ada_, ada_), "");
  for (const EnvironmentEntry& entry : *recordOf(root_.id).environments) {
    EXPECT_EQ(recordOf(entry.id).organizationId, organizationIdOf(ada_));
  }
}

TEST_F(TransfersTest, AFamilyStaysInOneOrganization) {
  const auto cleo = person("cleo@example.com");
  std::map<std::string, int> outcomes;
  for (int round = 0; round < 100; ++round) {
    root_ = made(ada_);
    join(ada_, root_, bob_, "Owner");
    join(ada_, root_, cleo, "Owner");
    const std::string id = root_.id.str();
    const std::string earlier = environment(ada_, root_, "qa").id.str();
    ASSERT_EQ(offering(ada_, bob_), "");
    const auto codes = atOnce(
        {[&] { return transfers_->accept(by(bob_), id); },
         [&] { return dropping(transfers_->offer(by(cleo), id, {cleo.id})); },
         [&] { return dropping(environments_->create(by(ada_), id, {"staging", {}})); },
         [&] { return round % 2 == 0 ? transfers_->withdraw(by(ada_), id) : projects_->remove(by(ada_), earlier); }});
    for (const std::string& code : codes) {
      EXPECT_TRUE(code.empty() || code == "NOT_FOUND" || code == "CONFLICT") << code;
      ++outcomes[code];
    }
    const ProjectRecord record = recordOf(root_.id);
    EXPECT_FALSE(record.transfer);
    EXPECT_NE(record.organizationId, organizationIdOf(ada_)) << "cleo takes it unless bob accepts it later";
    for (const EnvironmentEntry& entry : record.environments.value_or(std::vector<EnvironmentEntry>{})) {
      EXPECT_EQ(recordOf(entry.id).organizationId, record.organizationId);
    }
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
  EXPECT_GT(outcomes["NOT_FOUND"], 0);
}

// ---- the plan of the environments

TEST_F(TransfersTest, EnvironmentsLearnThatTheirPayerIsAnOwnerOrNot) {
  limit(Limit::maxProjects, 1000);
  const ProjectView staging = environment(ada_, root_, "staging");
  const store::ProjectNo number = numberOf(staging);
  uint64_t epoch = store_.epoch(number).value;
  const auto bumped = [&] { return store_.epoch(number).value > std::exchange(epoch, store_.epoch(number).value); };
  EXPECT_EQ(changingRole(bob_, ada_, "Viewer"), "");
  EXPECT_TRUE(bumped());
  EXPECT_EQ(changingRole(bob_, ada_, "Owner"), "");
  EXPECT_TRUE(bumped());
  ASSERT_TRUE(run(members_->remove(by(bob_), root_.id.str(), ada_.id)));
  EXPECT_TRUE(bumped());
  join(bob_, root_, ada_, "Owner");
  EXPECT_TRUE(bumped());
  // Another Owner has no part in its plan.
  EXPECT_EQ(changingRole(ada_, bob_, "Viewer"), "");
  EXPECT_FALSE(bumped());
}

TEST_F(TransfersTest, EnvironmentsCreatedAtTheSameTimeLearnItToo) {
  limit(Limit::maxProjects, 1000);
  std::optional<ProjectView> staging;
  store_.beforeNextWrite([&] {
    auto created = store::testing::runOn(cores_, 1, environments_->create(by(bob_), root_.id.str(), {"staging", {}}));
    if (created) staging = *std::move(created);
  });
  EXPECT_EQ(changingRole(bob_, ada_, "Viewer"), "");
  ASSERT_TRUE(staging);
  // Its creation is one, the change of the role another.
  EXPECT_EQ(store_.epoch(numberOf(*staging)).value, 2u);
}

TEST_F(TransfersTest, ThePayingOrganizationIsThatOfAnOwner) {
  const ProjectView staging = environment(ada_, root_, "staging");
  const auto paying = [&](const ProjectView& project) {
    return *run(payingOrganization(*deps_, *run(snapshots_.find(project.id.str()))));
  };
  EXPECT_EQ(paying(root_), organizationIdOf(ada_));
  EXPECT_EQ(paying(staging), organizationIdOf(ada_));
  EXPECT_EQ(changingRole(bob_, ada_, "Admin"), "");
  EXPECT_FALSE(paying(root_));
  EXPECT_FALSE(paying(staging));
  EXPECT_EQ(offering(bob_, bob_), "");
  EXPECT_EQ(paying(root_), organizationIdOf(bob_));
  EXPECT_EQ(paying(staging), organizationIdOf(bob_));
}

}  // namespace
}  // namespace mb::projects
