#include "projects/projects.h"

#include "document/json.h"
#include "identity/project_settings.h"
#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

class ProjectsTest : public ProjectsFixture {};

TEST_F(ProjectsTest, TheCreatorOwnsIt) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada, "  My Shop ");
  EXPECT_TRUE(project.id.str().starts_with("proj_"));
  EXPECT_EQ(project.name, "My Shop");
  EXPECT_EQ(project.slug, "my-shop");
  EXPECT_EQ(project.status, "active");
  EXPECT_EQ(project.role, "Owner");
  EXPECT_EQ(project.maxFileSize, kDefaultMaxFileSize);
  EXPECT_FALSE(project.byo);
  EXPECT_EQ(project.createdAt.ms, kStartMs);
  EXPECT_TRUE(project.organizationId.str().starts_with("org_"));
  EXPECT_EQ(auditActions(numberOf(project)), std::vector<std::string>{"project.created"});

  const auto listed = run(projects_->list(by(ada)));
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().id, project.id);
}

TEST_F(ProjectsTest, SlugsAreUniqueOnTheDeployment) {
  const auto ada = person("ada@example.com");
  const auto bob = person("bob@example.com");
  EXPECT_EQ(made(ada, "Shop").slug, "shop");
  EXPECT_EQ(made(bob, "SHOP").slug, "shop-2");
  std::set<std::string> slugs;
  for (int i = 0; i < 8; ++i) slugs.insert(made(bob, "Shop").slug);
  EXPECT_EQ(slugs.size(), 8u);
}

TEST_F(ProjectsTest, RefusesBadInput) {
  const auto ada = person("ada@example.com");
  EXPECT_EQ(codeOf(run(projects_->create(by(ada), {"", {}}))), "VALIDATION");
  const auto byo = run(projects_->create(by(ada), {"x", "mongodb://h/db"}));
  EXPECT_EQ(codeOf(byo), "FORBIDDEN");
  EXPECT_TRUE(run(projects_->list(by(ada)))->empty());
}

TEST_F(ProjectsTest, OthersSeeNothing) {
  const auto ada = person("ada@example.com");
  const auto eve = person("eve@example.com");
  const std::string id = made(ada).id.str();
  for (const std::string& name :
       {id, std::string("proj_nonsense"), std::string("shop"), std::string("#2"), std::string()}) {
    EXPECT_EQ(codeOf(run(projects_->detail(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(projects_->change(by(eve), name, {}))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(projects_->suspend(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(projects_->resume(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(projects_->remove(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(projects_->token(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(members_->list(by(eve), name))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(members_->add(by(eve), name, {"eve@example.com", "Viewer"}))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(members_->remove(by(eve), name, ada.id))), "NOT_FOUND");
  }
  EXPECT_TRUE(run(projects_->list(by(eve)))->empty());
}

TEST_F(ProjectsTest, RolesDecideWhatMembersMayDo) {
  const auto owner = person("owner@example.com");
  const ProjectView project = made(owner);
  const std::string id = project.id.str();
  struct Case {
    std::string role;
    std::string manage;
    std::string own;
  };
  for (const auto& [role, manage, own] : {Case{"Admin", "", "FORBIDDEN"}, Case{"Editor", "FORBIDDEN", "FORBIDDEN"},
                                          Case{"Viewer", "FORBIDDEN", "FORBIDDEN"}}) {
    const auto user = person(role + "@example.com");
    join(owner, project, user, role);
    EXPECT_EQ(run(projects_->detail(by(user), id))->role, role);
    EXPECT_EQ(codeOf(run(projects_->change(by(user), id, {}))), manage);
    EXPECT_EQ(codeOf(run(projects_->suspend(by(user), id))), manage);
    EXPECT_EQ(codeOf(run(projects_->resume(by(user), id))), manage);
    EXPECT_EQ(codeOf(run(projects_->remove(by(user), id))), own);
    EXPECT_EQ(codeOf(run(projects_->token(by(user), id))), "");
    EXPECT_EQ(codeOf(run(members_->list(by(user), id))), "");
  }
}

TEST_F(ProjectsTest, SuspensionBitesAtOnce) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const std::string id = project.id.str();
  EXPECT_EQ(run(projects_->token(by(ada), id))->expiresIn, 900);
  ASSERT_TRUE(run(projects_->suspend(by(ada), id)));
  EXPECT_EQ((*run(snapshots_.find(id)))->info().status, snapshot::ProjectStatus::suspended);
  EXPECT_EQ(codeOf(run(projects_->token(by(ada), id))), "PROJECT_SUSPENDED");
  EXPECT_EQ(run(projects_->detail(by(ada), id))->status, "suspended");
  ASSERT_TRUE(run(projects_->suspend(by(ada), id)));
  ASSERT_TRUE(run(projects_->resume(by(ada), id)));
  EXPECT_EQ(codeOf(run(projects_->token(by(ada), id))), "");
  // The second suspension changed nothing, so it is not recorded.
  EXPECT_EQ(auditActions(numberOf(project)),
            (std::vector<std::string>{"project.created", "project.suspended", "project.resumed"}));
}

TEST_F(ProjectsTest, ItsFollowerLearnsOfEachChangeOfStatus) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const std::string id = project.id.str();
  const store::ProjectNo number = numberOf(project);
  std::vector<store::ProjectNo> changed;
  projects_->setStatusFollower([&](store::ProjectNo one) { changed.push_back(one); });
  EXPECT_EQ(codeOf(run(projects_->suspend(by(person("eve@example.com")), id))), "NOT_FOUND");
  EXPECT_TRUE(changed.empty());
  EXPECT_FALSE(*run(directory_.isSuspended(number)));
  ASSERT_TRUE(run(projects_->resume(by(ada), id)));
  EXPECT_TRUE(changed.empty());  // it is active already
  ASSERT_TRUE(run(projects_->suspend(by(ada), id)));
  ASSERT_TRUE(run(projects_->suspend(by(ada), id)));
  EXPECT_EQ(changed.size(), 1u);
  EXPECT_TRUE(*run(directory_.isSuspended(number)));
  clock_.advance(1000);
  ASSERT_TRUE(run(projects_->resume(by(ada), id)));
  EXPECT_EQ(changed.size(), 2u);
  EXPECT_FALSE(*run(directory_.isSuspended(number)));
  const auto resumedAt = [&] {
    const snapshot::SnapshotPtr now = *run(snapshots_.find(id));
    return now->info().record.view().find("resumedAt")->asDate();
  };
  EXPECT_EQ(resumedAt(), clock_.now());
  // A project that is active already keeps its time of change.
  clock_.advance(1000);
  ASSERT_TRUE(run(projects_->resume(by(ada), id)));
  EXPECT_LT(resumedAt(), clock_.now());
  EXPECT_EQ(changed.size(), 2u);
  ASSERT_TRUE(run(projects_->suspend(by(ada), id)));
  changed.clear();
  ASSERT_TRUE(run(projects_->remove(by(ada), id)));
  EXPECT_EQ(changed, std::vector<store::ProjectNo>{number});
  EXPECT_FALSE(*run(directory_.isSuspended(number)));
}

TEST_F(ProjectsTest, ADeletedProjectIsGoneForAllAndPurgedLater) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  ASSERT_TRUE(run(members_->add(by(ada), project.id.str(), {"later@example.com", "Viewer"})));
  ASSERT_TRUE(run(projects_->remove(by(ada), project.id.str())));
  EXPECT_EQ(codeOf(run(projects_->detail(by(ada), project.id.str()))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(projects_->resume(by(ada), project.id.str()))), "NOT_FOUND");
  EXPECT_TRUE(run(projects_->list(by(ada)))->empty());
  EXPECT_TRUE(run(projects_->accountMemberships(by(ada)))->memberships.empty());
  EXPECT_EQ(*run(snapshots_.find(project.slug)), nullptr);
  EXPECT_EQ(made(ada, "Shop").slug, "shop-2");

  audit::Retention retention(store_, ids_, clock_, 0);
  Purge purge(*deps_, retention, systemCollections());
  EXPECT_EQ(*run(purge.pass()), 0u);
  clock_.advance(31LL * 24 * 3600 * 1000);
  EXPECT_EQ(*run(purge.pass()), 1u);
  EXPECT_EQ(store_.all(controlCollection(kProjects)).size(), 1u);
  EXPECT_EQ(store_.all(controlCollection(kMemberships)).size(), 1u);
  EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
  EXPECT_EQ(made(ada, "Shop").slug, "shop");
}

TEST_F(ProjectsTest, OneProjectThatCannotBePurgedStopsNoOther) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  ASSERT_TRUE(run(projects_->remove(by(ada), project.id.str())));
  store::Write write({.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10),
                      .actor = {store::ActorKind::server, ""},
                      .bumpEpochs = {}});
  write.insert(insertOf(kProjects, doc::parseJson(R"({"id":"broken","status":"deleted"})").value()));
  ASSERT_TRUE(run(store_.write(std::move(write), nullptr)));
  audit::Retention retention(store_, ids_, clock_, 0);
  Purge purge(*deps_, retention, systemCollections());
  clock_.advance(31LL * 24 * 3600 * 1000);
  EXPECT_EQ(*run(purge.pass()), 1u);
  EXPECT_EQ(store_.all(controlCollection(kProjects)).size(), 1u);
}

TEST_F(ProjectsTest, AuditEntriesGoAfterTheirTime) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const store::ProjectNo number = numberOf(project);
  audit::Retention retention(store_, ids_, clock_, 30);
  Purge purge(*deps_, retention, systemCollections());
  clock_.advance(29LL * 24 * 3600 * 1000);
  ASSERT_TRUE(run(projects_->suspend(by(ada), project.id.str())));
  ASSERT_TRUE(run(purge.pass()));
  EXPECT_EQ(auditActions(number), (std::vector<std::string>{"project.created", "project.suspended"}));
  clock_.advance(2LL * 24 * 3600 * 1000);
  ASSERT_TRUE(run(purge.pass()));
  EXPECT_EQ(auditActions(number), (std::vector<std::string>{"project.suspended", "audit.pruned"}));
}

TEST_F(ProjectsTest, PatchesHoldAndAreChecked) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  ProjectPatch patch;
  patch.name = "Renamed";
  patch.settings.emplace().allowedOrigins = {"https://app.example.com"};
  ASSERT_TRUE(run(projects_->change(by(ada), id, patch)));
  const auto changed = run(projects_->detail(by(ada), id));
  EXPECT_EQ(changed->name, "Renamed");
  EXPECT_EQ(changed->slug, "shop");
  EXPECT_EQ(changed->settings.allowedOrigins, std::vector<std::string>{"https://app.example.com"});
  ProjectPatch bad;
  bad.maxFileSize = -1;
  EXPECT_EQ(codeOf(run(projects_->change(by(ada), id, bad))), "VALIDATION");
}

// Uses one claim.
class OneClaim final : public ClaimDependent {
 public:
  Task<std::vector<ClaimUse>> claimUses(snapshot::SnapshotPtr, std::vector<std::string> claims) override {
    asked = claims;
    std::vector<ClaimUse> uses;
    if (std::ranges::find(claims, "plan") != claims.end()) {
      uses.push_back({"collections", "posts", "policy", "the policy of \"posts\" uses the claim \"plan\""});
    }
    co_return uses;
  }
  std::vector<std::string> asked;
};

TEST_F(ProjectsTest, AClaimInUseStays) {
  OneClaim dependent;
  projects_->addClaimDependent(dependent);
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const std::string id = project.id.str();
  const auto setClaims = [&](const policy::Caller& caller, std::vector<std::string> claims) {
    ProjectPatch patch;
    patch.settings.emplace().tokenClaims = std::move(claims);
    return codeOf(run(projects_->change(by(caller), id, patch)));
  };
  EXPECT_EQ(setClaims(ada, {"plan", "level"}), "");
  EXPECT_TRUE(dependent.asked.empty());
  EXPECT_EQ(setClaims(ada, {"level"}), "CONFLICT");
  EXPECT_EQ(recordOf(project.id).settings.tokenClaims, (std::vector<std::string>{"level", "plan"}));
  EXPECT_EQ(setClaims(ada, {"plan"}), "");
  EXPECT_EQ(dependent.asked, std::vector<std::string>{"level"});
  EXPECT_EQ(setClaims(ada, {}), "CONFLICT");
  // Who may not change settings learns nothing of what uses them.
  const auto eve = person("eve@example.com");
  join(ada, project, eve, "Viewer");
  EXPECT_EQ(setClaims(eve, {}), "FORBIDDEN");
}

TEST_F(ProjectsTest, AnImportChangesTheSettingsOfTheConfiguration) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const auto snapshotOf = [&] { return *run(snapshots_.find(project.id.str())); };
  policy::Caller key;
  key.kind = policy::CallerKind::apiKey;
  key.id = "key_1";
  SettingsPatch patch;
  patch.profileFields = {"name"};
  ASSERT_TRUE(run(projects_->configure(snapshotOf(), patch, key, soon())));
  EXPECT_EQ(recordOf(project.id).settings.profileFields, std::vector<std::string>{"name"});
  EXPECT_EQ(identity::profileFieldsOf(snapshotOf()->info()), std::vector<std::string>{"name"});
  const auto entries = store_.all({numberOf(project), audit::kAuditCollection, 0});
  EXPECT_EQ(entries.back().view().findPath("actor.kind")->asString(), "apikey");
  EXPECT_EQ(entries.back().view().stringOr("action"), "project.changed");
  const snapshot::SnapshotPtr last = snapshotOf();
  ASSERT_TRUE(run(projects_->remove(by(ada), project.id.str())));
  EXPECT_EQ(codeOf(run(projects_->configure(last, patch, key, soon()))), "NOT_FOUND");
}

TEST_F(ProjectsTest, TheDirectoryKnowsTheOnlyOne) {
  const auto ada = person("ada@example.com");
  EXPECT_FALSE(*run(directory_.onlyOne()));
  const ProjectView first = made(ada, "First");
  ASSERT_TRUE(*run(directory_.onlyOne()));
  EXPECT_EQ((*run(directory_.onlyOne()))->id, first.id);
  EXPECT_EQ((*run(directory_.find("first")))->id, first.id);
  EXPECT_EQ((*run(directory_.byNumber(numberOf(first))))->id, first.id);
  const ProjectView second = made(ada, "Second");
  EXPECT_FALSE(*run(directory_.onlyOne()));
  EXPECT_EQ(run(directory_.numbers())->size(), 2u);
  ASSERT_TRUE(run(projects_->remove(by(ada), first.id.str())));
  EXPECT_EQ((*run(directory_.onlyOne()))->id, second.id);
  EXPECT_FALSE(*run(directory_.find("first")));
}

}  // namespace
}  // namespace mb::projects
