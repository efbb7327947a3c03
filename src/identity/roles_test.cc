#include "identity/roles.h"

#include "identity/identity_fixture.h"
#include "identity/role_grant.h"

namespace mb::identity {
namespace {

class RolesTest : public IdentityFixture, public ::testing::WithParamInterface<RoleKind> {
 protected:
  Result<RoleView> create(std::string name, std::vector<std::string> permissions, policy::Caller by) {
    return run(
        identity_.roles().create(kShop, GetParam(), {std::move(name), std::move(permissions)}, std::move(by), soon()));
  }
  Result<> replace(std::string name, std::vector<std::string> permissions, policy::Caller by) {
    return run(
        identity_.roles().replace(kShop, GetParam(), std::move(name), {std::move(permissions)}, std::move(by), soon()));
  }
  Result<> remove(std::string name) {
    return run(identity_.roles().remove(kShop, GetParam(), std::move(name), admin(), soon()));
  }
  Result<RoleView> get(std::string name) { return run(identity_.roles().get(kShop, GetParam(), std::move(name))); }
  std::string builtIn() const { return GetParam() == RoleKind::member ? "Editor" : "user"; }
};
INSTANTIATE_TEST_SUITE_P(Kinds, RolesTest, ::testing::Values(RoleKind::member, RoleKind::endUser),
                         [](const auto& info) { return info.param == RoleKind::member ? "Member" : "EndUser"; });

TEST_P(RolesTest, LivesFromCreationToDeletion) {
  const uint64_t epoch = store_.epoch(kShop).value;
  const auto created = create("moderator", {"data:posts:*"}, admin());
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->builtIn);
  EXPECT_GT(store_.epoch(kShop).value, epoch);
  EXPECT_EQ(get("moderator")->permissions, std::vector<std::string>{"data:posts:*"});
  ASSERT_TRUE(replace("moderator", {"data:posts:read"}, admin()));
  EXPECT_EQ(get("moderator")->permissions, std::vector<std::string>{"data:posts:read"});
  const auto all = run(identity_.roles().list(kShop, GetParam()));
  EXPECT_EQ(all->size(), builtInRoles(GetParam()).size() + 1);
  ASSERT_TRUE(remove("moderator"));
  EXPECT_EQ(codeOf(get("moderator")), "NOT_FOUND");
  EXPECT_EQ(codeOf(remove("moderator")), "NOT_FOUND");
  EXPECT_EQ(codeOf(replace("moderator", {}, admin())), "NOT_FOUND");
}

TEST_P(RolesTest, BuiltInRolesAreFixed) {
  EXPECT_TRUE(get(builtIn())->builtIn);
  EXPECT_EQ(codeOf(create(builtIn(), {}, admin())), "CONFLICT");
  EXPECT_EQ(codeOf(create(lowerAscii(builtIn()), {}, admin())), "CONFLICT");
  EXPECT_EQ(codeOf(replace(builtIn(), {}, admin())), "CONFLICT");
  EXPECT_EQ(codeOf(remove(builtIn())), "CONFLICT");
}

TEST_P(RolesTest, NamesAreUniqueWithoutRegardToCase) {
  ASSERT_TRUE(create("Moderator", {}, admin()));
  EXPECT_EQ(codeOf(create("moderator", {}, admin())), "CONFLICT");
  EXPECT_EQ(codeOf(get("moderator")), "NOT_FOUND");
  EXPECT_EQ(codeOf(remove("moderator")), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(identity_.roles().get(kOther, GetParam(), "Moderator"))), "NOT_FOUND");
}

TEST_P(RolesTest, RefusesBadNamesAndPermissions) {
  for (const char* name : {"", "1a", "a b", "a.b", "a/b", "-a", "ä", "$ne"}) {
    EXPECT_EQ(codeOf(create(name, {}, admin())), "VALIDATION") << name;
    EXPECT_EQ(codeOf(get(name)), "NOT_FOUND") << name;
  }
  EXPECT_EQ(codeOf(create(std::string(65, 'a'), {}, admin())), "VALIDATION");
  const auto refused = create("a", {"data:posts:read", "", "a b"}, admin());
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().details().size(), 2U);
  EXPECT_EQ(refused.error().details()[0].path, "/permissions/1");
  EXPECT_EQ(codeOf(create("a", std::vector<std::string>(101, "a:b"), admin())), "VALIDATION");
  EXPECT_EQ(codeOf(create("a", std::vector<std::string>(90, "a:" + std::string(60, 'b')), admin())), "VALIDATION");
}

TEST_P(RolesTest, GrantsNoPermissionThatTheCallerDoesNotHold) {
  const policy::Caller helper = callerWith({"roles:manage", "data:posts:*"});
  EXPECT_EQ(codeOf(create("a", {"*"}, helper)), "FORBIDDEN");
  EXPECT_EQ(codeOf(create("a", {"data:*:read"}, helper)), "FORBIDDEN");
  EXPECT_TRUE(create("a", {"data:posts:read"}, helper));
  EXPECT_EQ(codeOf(replace("a", {"data:posts:read", "keys:manage"}, helper)), "FORBIDDEN");
  EXPECT_EQ(get("a")->permissions, std::vector<std::string>{"data:posts:read"});
}

TEST_P(RolesTest, ARoleInUseStays) {
  ASSERT_TRUE(create("moderator", {}, admin()));
  if (GetParam() == RoleKind::member) {
    members_.table.byUser["user_1"] = {"mem_1", "moderator"};
  } else {
    const auto user = registerIn(shop(), "a@example.com");
    ASSERT_TRUE(setRole(shop(), user->id, "moderator"));
  }
  store_.bumpEpoch(kShop);
  EXPECT_EQ(codeOf(remove("moderator")), "CONFLICT");
  EXPECT_TRUE(get("moderator"));
}

class MemberRolesTest : public IdentityFixture {
 protected:
  MemberRolesTest() {
    EXPECT_TRUE(run(identity_.roles().create(kShop, RoleKind::member, {"moderator", {"a:b"}}, admin(), soon())));
  }
  Result<> remove() { return run(identity_.roles().remove(kShop, RoleKind::member, "moderator", admin(), soon())); }
  // Grants the role in a commit of its own, as writes of members do.
  Task<> grant() {
    store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
    const store::Target role = write.change(*roleTarget(kShop, RoleKind::member, "moderator"));
    CO_RETURN_IF_ERROR(co_await store_.write(
        std::move(write), [role](const store::PreImages& before, store::Changes& changes) -> Result<> {
          TRY(std::optional<store::Change> granted,
              grantRole(before[role], "moderator", policy::PermissionSet({"a:*"})));
          if (!granted) return fail(ErrorCode::notFound, "no such role");
          changes.set(role, *std::move(granted));
          return {};
        }));
    co_return Result<>();
  }
};

TEST_F(MemberRolesTest, ARolePromisedByAnInviteStays) {
  members_.table.invitedAs.insert("moderator");
  store_.bumpEpoch(kShop);
  EXPECT_EQ(codeOf(remove()), "CONFLICT");
  members_.table.invitedAs.clear();
  store_.bumpEpoch(kShop);
  EXPECT_TRUE(remove());
}

TEST_F(MemberRolesTest, AGrantBetweenTheReadAndTheDeletionIsNoticed) {
  store_.bumpEpoch(kShop);
  // Every later read sees the new member; the deletion has read the members already and must read them again.
  members_.afterRead = [this] {
    members_.table.byUser["user_1"] = {"mem_1", "moderator"};
    store_.bumpEpoch(kShop);
    return grant();
  };
  EXPECT_EQ(codeOf(remove()), "CONFLICT");
  EXPECT_TRUE(run(identity_.roles().get(kShop, RoleKind::member, "moderator")));
}

TEST_F(MemberRolesTest, PermissionsOfARoleAreCheckedInTheCommit) {
  ASSERT_TRUE(run(grant()));
  ASSERT_TRUE(run(identity_.roles().replace(kShop, RoleKind::member, "moderator", {{"keys:manage"}}, admin(), soon())));
  EXPECT_EQ(codeOf(run(grant())), "FORBIDDEN");
  ASSERT_TRUE(remove());
  EXPECT_EQ(codeOf(run(grant())), "NOT_FOUND");
  EXPECT_FALSE(roleTarget(kShop, RoleKind::member, "Owner"));
  EXPECT_FALSE(roleTarget(kShop, RoleKind::member, "owner"));
  EXPECT_FALSE(roleTarget(kShop, RoleKind::endUser, "no role/../x"));
}

}  // namespace
}  // namespace mb::identity
