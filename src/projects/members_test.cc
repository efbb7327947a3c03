#include "projects/members.h"

#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

class MembersTest : public ProjectsFixture {
 protected:
  std::vector<std::string> rolesOf(const policy::Caller& caller, const std::string& id) {
    std::vector<std::string> out;
    const auto members = run(members_->list(by(caller), id));
    for (const auto& m : *members) out.push_back(m.email + " " + m.role + " " + m.status);
    return out;
  }
};

TEST_F(MembersTest, AnAccountBecomesAMemberAtOnce) {
  const auto ada = person("ada@example.com");
  const auto bob = person("Bob@Example.com");
  const ProjectView project = made(ada);
  const auto added = run(members_->add(by(ada), project.id.str(), {" BOB@example.com ", "Editor"}));
  ASSERT_TRUE(added);
  EXPECT_EQ(added->userId.value->str(), bob.id);
  EXPECT_EQ(added->email, "Bob@Example.com");
  EXPECT_EQ(added->status, "active");
  EXPECT_EQ(rolesOf(bob, project.id.str()),
            (std::vector<std::string>{"ada@example.com Owner active", "Bob@Example.com Editor active"}));
  EXPECT_EQ(codeOf(run(members_->add(by(ada), project.id.str(), {"bob@example.com", "Viewer"}))), "CONFLICT");
  EXPECT_EQ(run(projects_->detail(by(bob), project.id.str()))->role, "Editor");
}

TEST_F(MembersTest, AnInviteWaitsForItsAddress) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  const std::string id = project.id.str();
  const auto invited = run(members_->add(by(ada), id, {"New@example.com", "Viewer"}));
  ASSERT_TRUE(invited);
  EXPECT_EQ(invited->status, "pending");
  EXPECT_FALSE(invited->userId.value);
  const auto again = run(members_->add(by(ada), id, {"new@example.com", "Editor"}));
  EXPECT_EQ(again->id, invited->id);
  EXPECT_EQ(rolesOf(ada, id),
            (std::vector<std::string>{"ada@example.com Owner active", "new@example.com Editor pending"}));

  const auto newcomer = person("NEW@example.com");
  EXPECT_EQ(rolesOf(newcomer, id),
            (std::vector<std::string>{"ada@example.com Owner active", "NEW@example.com Editor active"}));
  EXPECT_EQ(auditActions(numberOf(project)),
            (std::vector<std::string>{"project.created", "member.invited", "member.invited", "member.joined"}));
  EXPECT_TRUE(store_.all(controlCollection(kInvitedAddresses)).empty());
}

TEST_F(MembersTest, AnInvitedOwnerCounts) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  ASSERT_TRUE(run(members_->add(by(ada), id, {"new@example.com", "Owner"})));
  EXPECT_EQ(codeOf(run(members_->changeRole(by(ada), id, ada.id, "Viewer"))), "CONFLICT");
  person("new@example.com");
  EXPECT_EQ(codeOf(run(members_->changeRole(by(ada), id, ada.id, "Viewer"))), "");
}

TEST_F(MembersTest, ACancelledInviteIsNone) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  ASSERT_TRUE(run(members_->add(by(ada), id, {"new@example.com", "Viewer"})));
  ASSERT_TRUE(run(members_->cancelInvite(by(ada), id, "NEW@example.com")));
  EXPECT_EQ(codeOf(run(members_->cancelInvite(by(ada), id, "new@example.com"))), "NOT_FOUND");
  const auto newcomer = person("new@example.com");
  EXPECT_EQ(codeOf(run(projects_->detail(by(newcomer), id))), "NOT_FOUND");
}

TEST_F(MembersTest, InvitesToADeletedProjectLeadNowhere) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  ASSERT_TRUE(run(members_->add(by(ada), id, {"new@example.com", "Viewer"})));
  ASSERT_TRUE(run(projects_->remove(by(ada), id)));
  const auto newcomer = person("new@example.com");
  EXPECT_TRUE(run(projects_->list(by(newcomer)))->empty());
  EXPECT_EQ(store_.all(controlCollection(kMemberships)).size(), 1u);
}

TEST_F(MembersTest, RefusesBadInput) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  const auto role = run(members_->add(by(ada), id, {"new@example.com", "Emperor"}));
  EXPECT_EQ(codeOf(role), "VALIDATION");
  EXPECT_EQ(role.error().details().at(0).path, "/role");
  EXPECT_EQ(codeOf(run(members_->add(by(ada), id, {"nonsense", "Viewer"}))), "VALIDATION");
  EXPECT_EQ(codeOf(run(members_->changeRole(by(ada), id, ada.id, "Emperor"))), "VALIDATION");
  EXPECT_EQ(codeOf(run(members_->changeRole(by(ada), id, "user_nobody", "Viewer"))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(members_->remove(by(ada), id, "user_nobody"))), "NOT_FOUND");
}

TEST_F(MembersTest, AdminsLeaveOwnersAlone) {
  const auto owner = person("owner@example.com");
  const auto admin = person("admin@example.com");
  const ProjectView project = made(owner);
  const std::string id = project.id.str();
  join(owner, project, admin, "Admin");
  EXPECT_EQ(codeOf(run(members_->add(by(admin), id, {"x@example.com", "Owner"}))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(members_->changeRole(by(admin), id, admin.id, "Owner"))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(members_->changeRole(by(admin), id, owner.id, "Viewer"))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(members_->remove(by(admin), id, owner.id))), "FORBIDDEN");
  ASSERT_TRUE(run(members_->add(by(owner), id, {"x@example.com", "Owner"})));
  EXPECT_EQ(codeOf(run(members_->add(by(admin), id, {"x@example.com", "Viewer"}))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(members_->cancelInvite(by(admin), id, "x@example.com"))), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(members_->remove(by(admin), id, admin.id))), "");
  EXPECT_EQ(codeOf(run(projects_->detail(by(admin), id))), "NOT_FOUND");
}

TEST_F(MembersTest, TwoOwnersCannotRemoveEachOther) {
  const auto ada = person("ada@example.com");
  const auto bob = person("bob@example.com");
  const ProjectView project = made(ada);
  const std::string id = project.id.str();
  join(ada, project, bob, "Owner");
  // Both are Owners in the snapshot that each request holds; the commit decides.
  std::promise<Result<>> first;
  std::promise<Result<>> second;
  const By byAda = by(ada);
  const By byBob = by(bob);
  const auto finish = [](std::promise<Result<>>& promise) {
    return [&promise](std::exception_ptr, Result<> result) { promise.set_value(std::move(result)); };
  };
  asio::post(cores_.at(0), [&] {
    asio::co_spawn(cores_.at(0).get_executor(), members_->remove(byAda, id, bob.id), finish(first));
    asio::co_spawn(cores_.at(0).get_executor(), members_->changeRole(byBob, id, ada.id, "Viewer"), finish(second));
  });
  const Result<> one = first.get_future().get();
  const Result<> two = second.get_future().get();
  EXPECT_NE(one.has_value(), two.has_value());
  size_t owners = 0;
  for (const auto& stored : store_.all(controlCollection(kMemberships))) {
    owners += stored.view().stringOr("role") == "Owner" ? 1 : 0;
  }
  EXPECT_GE(owners, 1u);
}

TEST_F(MembersTest, ARemovedMemberHoldsNothing) {
  const auto ada = person("ada@example.com");
  const auto bob = person("bob@example.com");
  const ProjectView project = made(ada);
  join(ada, project, bob, "Viewer");
  ASSERT_TRUE(run(members_->remove(by(ada), project.id.str(), bob.id)));
  EXPECT_EQ(codeOf(run(projects_->token(by(bob), project.id.str()))), "NOT_FOUND");
  const auto& table = (*run(snapshots_.find(project.id.str())))->get(identity_.slots().members);
  EXPECT_EQ(table.byUser.size(), 1u);
}

TEST_F(MembersTest, AnAddressHasSoManyInvites) {
  const auto ada = person("ada@example.com");
  for (uint64_t i = 0; i < kInvitesPerAddress; ++i) {
    const std::string id = made(ada, "P" + std::to_string(i)).id.str();
    ASSERT_TRUE(run(members_->add(by(ada), id, {"new@example.com", "Viewer"})));
  }
  const std::string id = made(ada, "One more").id.str();
  EXPECT_EQ(codeOf(run(members_->add(by(ada), id, {"new@example.com", "Viewer"}))), "CONFLICT");
  const auto newcomer = person("new@example.com");
  EXPECT_EQ(run(projects_->list(by(newcomer)))->size(), kInvitesPerAddress);
}

}  // namespace
}  // namespace mb::projects
