// Invariants under concurrent changes.
#include <random>

#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

constexpr int kRounds = 500;
// Few: registrations hash a password.
constexpr int kRegistrationRounds = 25;

class RacesTest : public ProjectsFixture {
 protected:
  RacesTest() : ProjectsFixture(false, 4) {}

  // The record's owners are those of the memberships, and a live project has at least one.
  void expectOwned(const ProjectId& id) {
    const ProjectRecord record = recordOf(id);
    std::set<std::string> owners;
    for (const auto& stored : store_.all(controlCollection(kMemberships))) {
      const auto member = fromStore<MembershipRecord>(stored.view());
      if (member->projectId == id && member->role == kOwner) owners.insert(member->userId.str());
    }
    EXPECT_EQ(std::set<std::string>(record.owners.begin(), record.owners.end()), owners);
    EXPECT_TRUE(record.status == "deleted" || !owners.empty()) << "nobody owns the project any more";
  }
  // The root's list is that of its live environments; no label occurs twice.
  void expectFamily(const ProjectId& root) {
    std::map<std::string, std::string> live;
    for (const auto& stored : store_.all(controlCollection(kProjects))) {
      const auto record = fromStore<ProjectRecord>(stored.view());
      if (record->parentId.value != root || record->status == "deleted") continue;
      EXPECT_TRUE(live.emplace(*record->environment.value, record->id.str()).second)
          << "two environments " << *record->environment.value;
    }
    const ProjectRecord record = recordOf(root);
    std::map<std::string, std::string> known;
    for (const auto& entry : record.environments.value_or(std::vector<EnvironmentEntry>{})) {
      known.emplace(entry.label, entry.id.str());
    }
    EXPECT_EQ(known, live);
    EXPECT_TRUE(record.status != "deleted" || live.empty()) << "a root went from under its environments";
  }
};

TEST_F(RacesTest, AProjectKeepsAnOwner) {
  const std::vector<policy::Caller> people = {person("ada@example.com"), person("bob@example.com"),
                                              person("cleo@example.com")};
  std::mt19937 chance(7);
  const auto anybody = [&]() -> const policy::Caller& { return people[chance() % people.size()]; };
  std::map<std::string, int> outcomes;
  for (int round = 0; round < kRounds; ++round) {
    const ProjectView project = made(people[0]);
    const std::string id = project.id.str();
    join(people[0], project, people[1], "Owner");
    join(people[0], project, people[2], round % 2 == 0 ? "Owner" : "Viewer");
    std::vector<std::function<Task<>()>> moves;
    for (int i = 0; i < 4; ++i) {
      const policy::Caller& asking = anybody();
      const std::string whom = anybody().id;
      switch (chance() % 4) {
        case 0:
        case 1:
          moves.emplace_back([=, this, &asking] { return members_->remove(by(asking), id, whom); });
          break;
        case 2:
          moves.emplace_back([=, this, &asking] { return members_->changeRole(by(asking), id, whom, "Viewer"); });
          break;
        default:
          moves.emplace_back([=, this, &asking] { return members_->changeRole(by(asking), id, whom, "Owner"); });
      }
    }
    for (const std::string& code : atOnce(std::move(moves))) {
      EXPECT_TRUE(code.empty() || code == "CONFLICT" || code == "FORBIDDEN" || code == "NOT_FOUND") << code;
      ++outcomes[code];
    }
    expectOwned(project.id);
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
  EXPECT_GT(outcomes[""], 0);
  EXPECT_GT(outcomes["CONFLICT"], 0);
}

TEST_F(RacesTest, LabelsStayUnique) {
  const auto ada = person("ada@example.com");
  std::map<std::string, int> outcomes;
  for (int round = 0; round < kRounds / 5; ++round) {
    const ProjectView root = made(ada);
    const std::string earlier = environment(ada, root, "qa").id.str();
    const auto creating = [&](const char* label) {
      return [&, label] { return dropping(environments_->create(by(ada), root.id.str(), {label, {}})); };
    };
    const auto removing = [&](const std::string& id) { return [&, id] { return projects_->remove(by(ada), id); }; };
    std::vector<std::function<Task<>()>> moves = {creating("qa"), creating("staging"), creating("staging"),
                                                  removing(earlier)};
    if (round % 2 == 1) moves = {creating("staging"), creating("staging"), removing(earlier), removing(root.id.str())};
    for (const std::string& code : atOnce(std::move(moves))) {
      EXPECT_TRUE(code.empty() || code == "CONFLICT" || code == "NOT_FOUND") << code;
      ++outcomes[code];
    }
    expectFamily(root.id);
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
  EXPECT_GT(outcomes["CONFLICT"], 0);
}

TEST_F(RacesTest, AnEnvironmentHasTheMembersOfOneMoment) {
  const auto ada = person("ada@example.com");
  const auto bob = person("bob@example.com");
  const auto cleo = person("cleo@example.com");
  for (int round = 0; round < kRounds / 5; ++round) {
    const ProjectView root = made(ada);
    join(ada, root, bob, "Owner");
    join(ada, root, cleo, "Viewer");
    std::optional<ProjectView> made;
    const auto codes = atOnce({[&] {
                                 return [](Task<ProjectView> task, std::optional<ProjectView>& out) -> Task<> {
                                   CO_TRY(out, co_await std::move(task));
                                   co_return Result<>();
                                 }(environments_->create(by(ada), root.id.str(), {"staging", {}}), made);
                               },
                               [&] { return members_->changeRole(by(ada), root.id.str(), bob.id, "Viewer"); },
                               [&] { return members_->remove(by(ada), root.id.str(), cleo.id); },
                               [&] { return members_->changeRole(by(bob), root.id.str(), ada.id, "Admin"); }});
    if (made) expectOwned(made->id);
    expectOwned(root.id);
    expectFamily(root.id);
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
}

// The time between the read of an invite and its renewal.
TEST_F(RacesTest, ARenewalBringsNoUsedInviteBack) {
  const auto ada = person("ada@example.com");
  const ProjectView shop = made(ada);
  ASSERT_TRUE(run(members_->add(by(ada), shop.id.str(), {"new@example.com", "Viewer"})));
  store_.beforeNextWrite([&] {
    auto task = identity_.users().registerUser(identity::Realm::platform(), {"new@example.com", "a long password", {}},
                                               identity::TakenEmail::refuse, soon());
    EXPECT_TRUE(store::testing::runOn(cores_, 1, std::move(task)));
  });
  EXPECT_EQ(codeOf(run(members_->add(by(ada), shop.id.str(), {"new@example.com", "Editor"}))), "CONFLICT");
  EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
  EXPECT_EQ(membersOf(ada, shop),
            (std::vector<std::string>{"ada@example.com Owner active", "new@example.com Viewer active"}));
}

TEST_F(RacesTest, ARenewalBringsNoCancelledInviteBackUnderItsId) {
  const auto ada = person("ada@example.com");
  const ProjectView shop = made(ada);
  const auto first = run(members_->add(by(ada), shop.id.str(), {"new@example.com", "Viewer"}));
  ASSERT_TRUE(first);
  store_.beforeNextWrite([&] {
    EXPECT_TRUE(store::testing::runOn(cores_, 1, members_->cancelInvite(by(ada), shop.id.str(), "new@example.com")));
  });
  const auto second = run(members_->add(by(ada), shop.id.str(), {"new@example.com", "Editor"}));
  ASSERT_TRUE(second);
  EXPECT_NE(second->id, first->id);
  EXPECT_EQ(store_.all(controlCollection(kInvites)).size(), 1U);
}

TEST_F(RacesTest, ARenewalBringsNoUsedInviteOfAnOperatorBack) {
  const auto ada = person("ada@example.com");
  ASSERT_TRUE(run(operators_->add(by(ada), {"new@example.com"})));
  store_.beforeNextWrite([&] {
    auto task = identity_.users().registerUser(identity::Realm::platform(), {"new@example.com", "a long password", {}},
                                               identity::TakenEmail::refuse, soon());
    EXPECT_TRUE(store::testing::runOn(cores_, 1, std::move(task)));
  });
  EXPECT_EQ(codeOf(run(operators_->add(by(ada), {"new@example.com"}))), "CONFLICT");
  EXPECT_TRUE(store_.all(controlCollection(kOperatorInvites)).empty());
}

TEST_F(RacesTest, NoInviteStaysForSomebodyWithAnAccount) {
  const auto ada = person("ada@example.com");
  for (int round = 0; round < kRegistrationRounds; ++round) {
    const ProjectView root = made(ada);
    const std::string email = fmt::format("new{}@example.com", round);
    // Before and after the read of the invites, which comes before or after the password is hashed.
    if (round % 2 == 0) ASSERT_TRUE(run(members_->add(by(ada), root.id.str(), {email, "Viewer"})));
    const auto codes = atOnce({[&] {
                                 return dropping(identity_.users().registerUser(identity::Realm::platform(),
                                                                                {email, "a long password", {}},
                                                                                identity::TakenEmail::refuse, soon()));
                               },
                               [&] { return dropping(members_->add(by(ada), root.id.str(), {email, "Editor"})); },
                               [&] { return dropping(environments_->create(by(ada), root.id.str(), {"staging", {}})); },
                               [&] { return dropping(operators_->add(by(ada), {email})); }});
    for (const std::string& code : codes) EXPECT_TRUE(code.empty() || code == "CONFLICT") << code;
    EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
    EXPECT_TRUE(store_.all(controlCollection(kOperatorInvites)).empty());
    const auto user = run(identity_.users().byEmail(identity::Realm::platform(), email));
    ASSERT_TRUE(*user);
    EXPECT_EQ((*user)->platformRole, "super-admin");
    EXPECT_EQ(codeOf(run(projects_->detail(by(callerOf(**user)), root.id.str()))), "");
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
}

}  // namespace
}  // namespace mb::projects
