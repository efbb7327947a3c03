#include "identity/described_callers.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class DescribedCallersTest : public IdentityFixture {
 protected:
  static CallerDescription described(std::string_view text) {
    auto given = doc::decode<CallerDescription>(*doc::parseJson(text));
    EXPECT_TRUE(given) << text;
    return given ? *std::move(given) : CallerDescription();
  }
  Result<policy::Caller> find(CallerDescription given) {
    return run(identity_.describedCallers().find(snapshotOf(directory_.projects[0]), std::move(given), "/caller"));
  }
  Result<policy::Caller> find(std::string_view text) { return find(described(text)); }
  // The path of the first problem; "" where the caller was found.
  std::string refusedAt(std::string_view text) {
    const auto found = find(text);
    if (found) return "";
    EXPECT_EQ(found.error().code(), ErrorCode::validation) << text;
    return found.error().details().empty() ? "no details" : found.error().details().front().path;
  }
  static std::string claim(const policy::Caller& caller, std::string_view name) {
    const auto value = caller.claims.view().find(name);
    std::string text;
    if (value) doc::writeJsonValue(text, *value);
    return text;
  }
};

TEST_F(DescribedCallersTest, AnEndUserAsTheirTokenWouldIdentifyThem) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  directory_.projects[0].record = *doc::parseJson(R"({"settings":{"tokenClaims":["plan"]}})");
  UserPatch patch;
  patch.metadata = *doc::parseJson(R"({"plan":"pro"})");
  ASSERT_TRUE(run(identity_.users().patch(shop(), ann.user.id, patch, admin(), soon())));
  store_.bumpEpoch(kShop);

  const auto identified = identify(ann.token);
  ASSERT_TRUE(identified);
  const policy::Caller& real = identified->caller;
  CallerDescription byId;
  byId.user = ann.user.id.str();
  const auto found = find(byId);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->kind, real.kind);
  EXPECT_EQ(found->id, real.id);
  EXPECT_EQ(found->project, real.project);
  EXPECT_EQ(found->projectId, real.projectId);
  EXPECT_EQ(found->role, real.role);
  EXPECT_EQ(found->permissions->list(), real.permissions->list());
  for (const auto& [name, value] : real.claims.view()) {
    if (name != "sid") EXPECT_EQ(claim(*found, name), claim(real, name)) << name;
  }
  EXPECT_EQ(found->claims.view().count(), real.claims.view().count());

  ASSERT_TRUE(setStatus(shop(), ann.user.id, UserStatus::blocked));
  EXPECT_EQ(codeOf(find(byId)), "VALIDATION");
}

TEST_F(DescribedCallersTest, AnEndUserByRole) {
  const auto found = find(R"({"role":"user","uid":"user_1","claims":{"plan":"pro","email":"a@b.c"}})");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->kind, policy::CallerKind::endUser);
  EXPECT_EQ(found->id, "user_1");
  EXPECT_EQ(found->role, "user");
  EXPECT_TRUE(found->may("data:posts:create"));
  EXPECT_EQ(claim(*found, "sub"), R"("user_1")");
  EXPECT_EQ(claim(*found, "role"), R"("user")");
  EXPECT_EQ(claim(*found, "pid"), R"("proj_shop")");
  EXPECT_EQ(claim(*found, "plan"), R"("pro")");
  EXPECT_EQ(claim(*found, "email"), R"("a@b.c")");
  EXPECT_EQ(claim(*found, "name"), "");
  EXPECT_EQ(claim(*found, "iat"), std::to_string(clock_.now().ms / 1000));

  const auto anyone = find(R"({"role":"user"})");
  ASSERT_TRUE(anyone);
  EXPECT_FALSE(anyone->id.empty());
  EXPECT_EQ(claim(*anyone, "sub"), '"' + anyone->id + '"');
}

TEST_F(DescribedCallersTest, AKeyAMemberAndNobody) {
  const auto made = run(identity_.keys().create(directory_.projects[0], {"k", {"read"}, {}}, admin(), soon()));
  ASSERT_TRUE(made);
  const auto key = find(R"({"key":")" + made->apiKey.id.str() + "\"}");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->kind, policy::CallerKind::apiKey);
  EXPECT_TRUE(key->may("data:posts:read"));
  EXPECT_FALSE(key->may("data:posts:create"));

  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  EXPECT_EQ(refusedAt(R"({"member":")" + dev.user.id.str() + "\"}"), "/caller/member");
  members_.table.byUser[dev.user.id.str()] = {"mem_1", "Viewer"};
  store_.bumpEpoch(kShop);
  const auto member = find(R"({"member":")" + dev.user.id.str() + "\"}");
  ASSERT_TRUE(member) << member.error().message();
  EXPECT_EQ(member->kind, policy::CallerKind::member);
  EXPECT_EQ(member->role, "Viewer");
  EXPECT_TRUE(member->may("policies:read"));

  const auto nobody = find(R"({"anonymous":true})");
  ASSERT_TRUE(nobody);
  EXPECT_EQ(nobody->kind, policy::CallerKind::anonymous);
  EXPECT_EQ(nobody->project, kShop);
}

TEST_F(DescribedCallersTest, RefusesOtherDescriptions) {
  EXPECT_EQ(refusedAt("{}"), "/caller");
  EXPECT_EQ(refusedAt(R"({"role":"user","anonymous":true})"), "/caller");
  EXPECT_EQ(refusedAt(R"({"uid":"user_1"})"), "/caller");
  EXPECT_EQ(refusedAt(R"({"anonymous":false})"), "/caller/anonymous");
  EXPECT_EQ(refusedAt(R"({"anonymous":true,"uid":"user_1"})"), "/caller/uid");
  EXPECT_EQ(refusedAt(R"({"key":"key_1","claims":{}})"), "/caller/claims");
  EXPECT_EQ(refusedAt(R"({"role":"user","uid":""})"), "/caller/uid");
  EXPECT_EQ(refusedAt(R"({"role":"user","uid":"a","claims":{"sub":"b"}})"), "/caller/claims/sub");
  EXPECT_EQ(refusedAt(R"({"role":"user","uid":"a","claims":{"sub":"a"}})"), "");
  EXPECT_EQ(refusedAt(R"({"role":"user","claims":{"pid":"proj_other"}})"), "/caller/claims/pid");
  EXPECT_EQ(refusedAt(R"({"role":"editor"})"), "/caller/role");
  EXPECT_EQ(refusedAt(R"({"user":"user_00000000000000000000"})"), "/caller/user");
  EXPECT_EQ(refusedAt(R"({"user":"nonsense"})"), "/caller/user");
  EXPECT_EQ(refusedAt(R"({"key":"key_1"})"), "/caller/key");

  const auto problems =
      descriptionProblems(described(R"({"user":"user_1"})"), DescribedBy::roleOnly, "/tests/0/caller");
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems.front().path, "/tests/0/caller/user");
}

}  // namespace
}  // namespace mb::identity
