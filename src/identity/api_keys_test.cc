#include "identity/api_keys.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class ApiKeysTest : public IdentityFixture {
 protected:
  Result<IssuedApiKey> create(std::vector<std::string> scopes, policy::Caller by,
                              std::optional<Timestamp> expiresAt = std::nullopt) {
    return run(identity_.keys().create(directory_.projects[0], {"a key", std::move(scopes), expiresAt}, std::move(by),
                                       soon()));
  }
};

TEST_F(ApiKeysTest, TheRawKeyIsShownOnceAndItsHashKept) {
  const auto issued = create({"read"}, admin());
  ASSERT_TRUE(issued);
  EXPECT_TRUE(issued->key.starts_with("mb_sk_proj_shop."));
  EXPECT_TRUE(issued->apiKey.id.str().starts_with("key_"));
  const std::string secret = issued->key.substr(issued->key.find('.') + 1);
  EXPECT_EQ(fromBase64Url(secret)->size(), 32U);
  EXPECT_EQ(doc::toJson(store_.all({kShop, kApiKeys, 0}).front()).find(secret), std::string::npos);
  const auto listed = run(identity_.keys().list(kShop));
  ASSERT_EQ(listed->size(), 1U);
  const std::string shown = doc::toJson(doc::encode(listed->front()));
  EXPECT_EQ(shown.find("hash"), std::string::npos);
  EXPECT_NE(shown.find(R"("lastUsedAt":null)"), std::string::npos);
}

TEST_F(ApiKeysTest, RefusesBadInput) {
  for (const std::vector<std::string>& scopes :
       {std::vector<std::string>{}, {"root"}, {"read", "read"}, {""}, {"*"}, {"Read"}, {"data:*:read"}}) {
    EXPECT_EQ(codeOf(create(scopes, admin())), "VALIDATION");
  }
  EXPECT_EQ(codeOf(create({"read"}, admin(), clock_.now())), "VALIDATION");
  EXPECT_EQ(codeOf(run(identity_.keys().create(directory_.projects[0], {" ", {"read"}, {}}, admin(), soon()))),
            "VALIDATION");
  EXPECT_TRUE(store_.all({kShop, kApiKeys, 0}).empty());
}

TEST_F(ApiKeysTest, IssuesNoPermissionThatTheCallerDoesNotHold) {
  const policy::Caller helper = callerWith({"keys:manage", "data:*:read", "data:*:list"});
  EXPECT_TRUE(create({"read"}, helper));
  EXPECT_EQ(codeOf(create({"read", "write"}, helper)), "FORBIDDEN");
  EXPECT_EQ(codeOf(create({"admin"}, helper)), "FORBIDDEN");
  EXPECT_EQ(codeOf(create({"service"}, callerWith({"keys:manage", "data:*", "functions:invoke"}))), "FORBIDDEN");
  EXPECT_TRUE(create({"service"}, callerWith({"keys:manage", "data:*", "storage:*", "functions:invoke"})));
  // A rotation returns the raw key to its caller.
  const auto strong = create({"admin"}, admin());
  EXPECT_EQ(codeOf(run(identity_.keys().rotate(directory_.projects[0], strong->apiKey.id, helper, soon()))),
            "FORBIDDEN");
  EXPECT_TRUE(identify(strong->key));
}

TEST_F(ApiKeysTest, NoKeyIssuesOneThatOutlivesIt) {
  const Timestamp now = clock_.now();
  const auto short_ = create({"admin"}, admin(), Timestamp{now.ms + 60'000});
  const auto long_ = create({"read"}, admin(), Timestamp{now.ms + 120'000});
  const auto endless = create({"read"}, admin());
  const policy::Caller by = identify(short_->key)->caller;
  const auto rotate = [&](const Result<IssuedApiKey>& key, const policy::Caller& caller) {
    return codeOf(run(identity_.keys().rotate(directory_.projects[0], key->apiKey.id, caller, soon())));
  };
  const size_t before = store_.all({kShop, kApiKeys, 0}).size();
  EXPECT_EQ(codeOf(create({"read"}, by)), "FORBIDDEN");
  EXPECT_EQ(codeOf(create({"read"}, by, Timestamp{now.ms + 60'001})), "FORBIDDEN");
  EXPECT_EQ(store_.all({kShop, kApiKeys, 0}).size(), before);
  EXPECT_EQ(rotate(long_, by), "FORBIDDEN");
  EXPECT_EQ(rotate(endless, by), "FORBIDDEN");
  EXPECT_TRUE(identify(long_->key));
  EXPECT_TRUE(identify(endless->key));

  const auto equal = create({"read"}, by, Timestamp{now.ms + 60'000});
  EXPECT_TRUE(equal);
  EXPECT_EQ(rotate(equal, by), "");
  EXPECT_EQ(rotate(endless, identify(create({"admin"}, admin())->key)->caller), "");
  // A key may rotate itself; its expiry stays.
  EXPECT_EQ(rotate(short_, by), "");
  // A member has no expiry.
  EXPECT_TRUE(create({"read"}, admin()));
}

TEST_F(ApiKeysTest, ADeletedKeyIssuesNone) {
  const auto key = create({"admin"}, admin());
  const policy::Caller by = identify(key->key)->caller;
  ASSERT_TRUE(run(identity_.keys().remove(kShop, key->apiKey.id, admin(), soon())));
  EXPECT_EQ(codeOf(create({"read"}, by)), "FORBIDDEN");
}

TEST_F(ApiKeysTest, UnknownOnesAreNotFound) {
  for (const char* id : {"key_nobody", "", "key_", "user_1", "key_../x"}) {
    EXPECT_EQ(codeOf(run(identity_.keys().remove(kShop, KeyId(id), admin(), soon()))), "NOT_FOUND") << id;
    EXPECT_EQ(codeOf(run(identity_.keys().rotate(directory_.projects[0], KeyId(id), admin(), soon()))), "NOT_FOUND")
        << id;
  }
  const auto issued = create({"read"}, admin());
  EXPECT_EQ(codeOf(run(identity_.keys().remove(kOther, issued->apiKey.id, admin(), soon()))), "NOT_FOUND");
}

TEST(SplitKey, TakesItsOwnFormOnly) {
  const auto parts = splitKey("mb_sk_proj_1.secret");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->project, "proj_1");
  EXPECT_EQ(parts->secret, "secret");
  for (const char* bad : {"", "mb_sk_", "mb_sk_.s", "mb_sk_proj_1", "mb_sk_proj_1.", "mb_sk_shop.s", "xx_sk_proj_1.s",
                          "mb_sk_proj_a/b.s", "mb_sk_#2.s"}) {
    EXPECT_FALSE(splitKey(bad)) << bad;
  }
  EXPECT_FALSE(splitKey("mb_sk_proj_1." + std::string(300, 's')));
}

TEST(Scopes, GrantWhatTheContractSays) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"read", {"data:*:read", "data:*:list"}},
      {"write", {"data:*:create", "data:*:update", "data:*:delete"}},
      {"admin", {"*"}},
      {"storage", {"storage:read", "storage:write"}},
      {"functions", {"functions:invoke"}},
      {"service", {"data:*", "storage:*", "functions:invoke"}},
  };
  for (const auto& [scope, permissions] : cases) EXPECT_EQ(permissionsOfScopes({scope})->list(), permissions) << scope;
}

TEST(Scopes, ServiceStandsAlone) {
  for (const std::vector<std::string>& scopes :
       {std::vector<std::string>{"service", "read"}, {"admin", "service"}, {"service", "service"}}) {
    const auto granted = permissionsOfScopes(scopes);
    ASSERT_FALSE(granted);
    EXPECT_EQ(granted.error().code(), ErrorCode::validation);
    EXPECT_TRUE(granted.error().details().front().path.starts_with("/scopes/"));
  }
}

}  // namespace
}  // namespace mb::identity
