// The limits of plans on projects and environments.
#include "projects/projects_fixture.h"
#include "projects/restoring.h"

namespace mb::projects {
namespace {

using plans::Limit;

class ProjectLimitsTest : public ProjectsFixture {
 protected:
  ProjectLimitsTest() : ProjectsFixture(false, 4) { ada_ = person("ada@example.com"); }

  std::string creating(const policy::Caller& caller) {
    return codeOf(run(projects_->create(by(caller), {"Shop", {}})));
  }
  std::string creating(const ProjectView& root, const std::string& label) {
    return codeOf(run(environments_->create(by(ada_), root.id.str(), {label, {}})));
  }
  size_t projects() const { return store_.all(controlCollection(kProjects)).size(); }
  std::optional<int64_t> revisionOf(const policy::Caller& caller) {
    return run(organizationOf(store_, caller.id))->revision;
  }

  struct Outcomes {
    std::atomic<int> created = 0;
    std::atomic<int> refused = 0;
    std::atomic<int> other = 0;
  };
  static Task<> createMany(Projects& projects, By by, int count, Outcomes& outcomes) {
    for (int i = 0; i < count; ++i) {
      const auto project = co_await projects.create(by, {"Shop", {}});
      if (project) {
        ++outcomes.created;
      } else {
        ++(project.error().code() == ErrorCode::planLimit ? outcomes.refused : outcomes.other);
      }
    }
    co_return Result<>();
  }

  policy::Caller ada_;
};

TEST_F(ProjectLimitsTest, RootsOfTheOwnOrganizationCount) {
  limit(Limit::maxProjects, 2);
  const ProjectView first = made(ada_);
  const ProjectView second = made(ada_);
  environment(ada_, first, "staging");
  const size_t before = projects();
  const auto refused = run(projects_->create(by(ada_), {"Shop", {}}));
  EXPECT_EQ(codeOf(refused), "PLAN_LIMIT");
  EXPECT_EQ(refused.error().message(), "plan limit: maxProjects: the plan Free allows 2 projects, in use are 2");
  EXPECT_EQ(projects(), before);
  ASSERT_TRUE(run(projects_->suspend(by(ada_), second.id.str())));
  EXPECT_EQ(creating(ada_), "PLAN_LIMIT");
  ASSERT_TRUE(run(projects_->remove(by(ada_), second.id.str())));
  EXPECT_EQ(creating(ada_), "");
  EXPECT_EQ(creating(ada_), "PLAN_LIMIT");
  // A member of others' projects has none of them in their own organization.
  const auto bob = person("bob@example.com");
  join(ada_, first, bob, "Owner");
  EXPECT_EQ(creating(bob), "");
  EXPECT_EQ(creating(bob), "");
  EXPECT_EQ(creating(bob), "PLAN_LIMIT");
}

TEST_F(ProjectLimitsTest, ProjectsAboveALimitThatCameLaterStay) {
  const ProjectView first = made(ada_);
  made(ada_);
  limit(Limit::maxProjects, 1);
  EXPECT_EQ(creating(ada_), "PLAN_LIMIT");
  EXPECT_EQ(codeOf(run(projects_->detail(by(ada_), first.id.str()))), "");
}

TEST_F(ProjectLimitsTest, WithoutALimitNoOrganizationChanges) {
  made(ada_);
  EXPECT_FALSE(revisionOf(ada_));
  limit(Limit::environmentsPerProject, 5);
  made(ada_);
  EXPECT_FALSE(revisionOf(ada_));
  limit(Limit::maxProjects, 5);
  made(ada_);
  EXPECT_EQ(revisionOf(ada_), 1);
}

// The time between the count and the commit.
TEST_F(ProjectLimitsTest, ACountThatIsOutOfDateIsMadeAgain) {
  limit(Limit::maxProjects, 2);
  const ProjectView first = made(ada_);
  store_.beforeNextWrite(
      [&] { EXPECT_TRUE(store::testing::runOn(cores_, 1, projects_->create(by(ada_), {"Other", {}}))); });
  EXPECT_EQ(creating(ada_), "PLAN_LIMIT");
  ASSERT_TRUE(run(projects_->remove(by(ada_), first.id.str())));
  store_.beforeNextWrite([&] {
    EXPECT_TRUE(store::testing::runOn(cores_, 1, projects_->create(by(ada_), {"Third", {}})));
    EXPECT_TRUE(store::testing::runOn(cores_, 1, projects_->create(by(ada_), {"Fourth", {}})).error().code() ==
                ErrorCode::planLimit);
  });
  EXPECT_EQ(creating(ada_), "PLAN_LIMIT");
}

TEST_F(ProjectLimitsTest, ExactlyTheLimitPassesAtOnce) {
  limit(Limit::maxProjects, 100);
  for (int round = 0; round < 5; ++round) {
    const auto user = person(fmt::format("user{}@example.com", round));
    Outcomes outcomes;
    std::vector<std::function<Task<>()>> moves;
    for (int core = 0; core < 4; ++core) {
      moves.emplace_back([&] { return createMany(*projects_, by(user), 50, outcomes); });
    }
    atOnce(std::move(moves));
    EXPECT_EQ(outcomes.created, 100);
    EXPECT_EQ(outcomes.refused, 100);
    EXPECT_EQ(outcomes.other, 0);
    EXPECT_EQ(run(projects_->list(by(user)))->size(), 100u);
  }
}

// ---- environments

TEST_F(ProjectLimitsTest, EnvironmentsOfARootHaveALimit) {
  limit(Limit::environmentsPerProject, 1);
  const ProjectView root = made(ada_);
  const ProjectView staging = environment(ada_, root, "staging");
  const auto refused = run(environments_->create(by(ada_), root.id.str(), {"qa", {}}));
  EXPECT_EQ(codeOf(refused), "PLAN_LIMIT");
  EXPECT_TRUE(refused.error().message().starts_with("plan limit: environmentsPerProject: "));
  EXPECT_EQ(creating(made(ada_, "Other"), "qa"), "");
  ASSERT_TRUE(run(projects_->remove(by(ada_), staging.id.str())));
  EXPECT_EQ(creating(root, "qa"), "");
}

TEST_F(ProjectLimitsTest, ExactlySoManyEnvironmentsPassAtOnce) {
  limit(Limit::environmentsPerProject, 2);
  for (int round = 0; round < 20; ++round) {
    const ProjectView root = made(ada_);
    std::vector<std::function<Task<>()>> moves;
    for (const char* label : {"one", "two", "three", "four"}) {
      moves.emplace_back([&, label] { return dropping(environments_->create(by(ada_), root.id.str(), {label, {}})); });
    }
    const auto codes = atOnce(std::move(moves));
    EXPECT_EQ(std::ranges::count(codes, ""), 2);
    EXPECT_EQ(std::ranges::count(codes, "PLAN_LIMIT"), 2);
    EXPECT_EQ(recordOf(root.id).environments->size(), 2u);
  }
}

TEST_F(ProjectLimitsTest, PromotionHasNone) {
  limit(Limit::environmentsPerProject, 1);
  limit(Limit::maxProjects, 1);
  const ProjectView root = made(ada_);
  const ProjectView staging = environment(ada_, root, "staging");
  EXPECT_EQ(codeOf(run(environments_->promote(by(ada_), {staging.id.str(), root.id.str()}, ImportMode{}))), "");
}

// ---- restored from a backup

class RestoredProjectLimitsTest : public ProjectLimitsTest {
 protected:
  Restoring restoring() { return {store_, ids_, clock_, auditor_, &plan_}; }
  static RestoreOptions optionsOf(const ProjectRecord& record, std::optional<std::string> slug) {
    return {record, std::move(slug), "ada@example.com", {}, false};
  }
};

TEST_F(RestoredProjectLimitsTest, ANewProjectMeetsTheOwnersLimit) {
  limit(Limit::maxProjects, 2);
  const ProjectRecord record = recordOf(made(ada_).id);
  {
    Restoring one = restoring();
    ASSERT_TRUE(run(one.begin(optionsOf(record, "copy"))));
    ASSERT_TRUE(run(one.publish()));
  }
  const size_t before = projects();
  Restoring next = restoring();
  EXPECT_EQ(codeOf(run(next.begin(optionsOf(record, "other")))), "PLAN_LIMIT");
  EXPECT_EQ(projects(), before);
}

TEST_F(RestoredProjectLimitsTest, ThePlaceIsTakenDuringTheRestore) {
  limit(Limit::maxProjects, 2);
  const ProjectRecord record = recordOf(made(ada_).id);
  Restoring one = restoring();
  ASSERT_TRUE(run(one.begin(optionsOf(record, "copy"))));
  made(ada_);
  EXPECT_EQ(codeOf(run(one.publish())), "PLAN_LIMIT");
  ASSERT_TRUE(run(one.abandon()));
  EXPECT_EQ(run(projects_->list(by(ada_)))->size(), 2u);
}

TEST_F(RestoredProjectLimitsTest, TheSameProjectIsNeverRefused) {
  limit(Limit::maxProjects, 1);
  const ProjectView project = made(ada_);
  const ProjectRecord record = recordOf(project.id);
  ASSERT_TRUE(run(projects_->remove(by(ada_), project.id.str())));
  made(ada_);
  Restoring one = restoring();
  ASSERT_TRUE(run(one.begin(optionsOf(record, {}))));
  ASSERT_TRUE(run(one.publish()));
  EXPECT_EQ(run(projects_->list(by(ada_)))->size(), 2u);
}

}  // namespace
}  // namespace mb::projects
