#include "identity/recovery.h"

#include "identity/identity_fixture.h"
#include "identity/mailed_links.h"
#include "identity/mfa.h"

namespace mb::identity {
namespace {

class RecoveryTest : public IdentityFixture {
 protected:
  RecoveryTest() { admin_ = *registerIn(Realm::platform(), "first@example.com"); }
  Result<bool> setOperator(const UserId& user, bool on) { return run(recovery_.setOperator(user, on, soon())); }
  Result<std::vector<UserRecord>> list(UserSearch search) {
    return run(recovery_.list(Realm::platform(), std::move(search), soon()));
  }
  UserRecord read(const Realm& realm, const UserId& id) { return **run(identity_.users().get(realm, id)); }

  UserRecord admin_;
  Recovery recovery_{{store_, clock_, auditor_}};
};

TEST_F(RecoveryTest, FindsByIdAndByAddressOfAnyCase) {
  EXPECT_EQ(run(recovery_.find(Realm::platform(), admin_.id.str()))->id, admin_.id);
  EXPECT_EQ(run(recovery_.find(Realm::platform(), " First@Example.COM"))->id, admin_.id);
  for (const char* nobody : {"", "first", "user_nobody", "user_../x", "first@example.co"}) {
    EXPECT_EQ(codeOf(run(recovery_.find(Realm::platform(), nobody))), "NOT_FOUND") << nobody;
  }
  EXPECT_EQ(codeOf(run(recovery_.find(shop(), admin_.id.str()))), "NOT_FOUND");
}

TEST_F(RecoveryTest, ListsInPagesAndByPartsOfAddresses) {
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(registerIn(Realm::platform(), fmt::format("u{}@example.com", i)));
  ASSERT_TRUE(registerIn(Realm::platform(), "u.7+x@example.org"));
  size_t seen = 0;
  std::string after;
  while (true) {
    const auto page = list({"", after, 3});
    ASSERT_TRUE(page);
    seen += page->size();
    if (page->size() < 3) break;
    after = page->back().id.str();
  }
  EXPECT_EQ(seen, 8U);
  EXPECT_EQ(list({"EXAMPLE.COM", "", 100})->size(), 7U);
  EXPECT_EQ(list({".7+x", "", 100})->size(), 1U);
  // Matches literally: no part of an address is a pattern.
  for (const char* part : {"u.@", ".*", "u[0-9]", "(", "\\", "nobody"}) {
    EXPECT_EQ(list({part, "", 100})->size(), 0U) << part;
  }
}

TEST_F(RecoveryTest, ANewPasswordEndsSessionsAndLinks) {
  for (const Realm& realm : {shop(), Realm::platform()}) {
    const SignedIn ann = signIn(realm, "ann@example.com");
    ASSERT_TRUE(run(identity_.links().mailLink(realm, LinkPurpose::resetPassword, "ann@example.com")));
    const auto identified = [&] {
      return realm.control ? run(identity_.authenticator().control(ann.token)) : identify(ann.token);
    };
    ASSERT_TRUE(identified());
    clock_.advance(1);
    ASSERT_TRUE(run(recovery_.setPassword(realm, ann.user.id, *hashPassword("other horse 7"), soon())));
    EXPECT_EQ(std::ranges::count(auditActions(realm.project), "user.passwordSet"), 1);
    EXPECT_EQ(codeOf(identified()), "UNAUTHENTICATED");
    EXPECT_TRUE(run(identity_.sessions().list(realm, ann.user.id, soon()))->empty());
    EXPECT_EQ(codeOf(login(realm, "ann@example.com")), "INVALID_CREDENTIALS");
    EXPECT_TRUE(login(realm, "ann@example.com", "other horse 7"));
    EXPECT_FALSE(run(store_.get({realm.project, kOneTimeTokens, 0}, "reset:" + ann.user.id.str()))->has_value());
    // A sign-in whose old password was checked just before gets no session.
    EXPECT_EQ(codeOf(run(identity_.sessions().open(realm, ann.user, {"203.0.113.1", ""}, soon()))), "UNAUTHENTICATED");
  }
  EXPECT_EQ(codeOf(run(recovery_.setPassword(shop(), UserId("user_nobody"), "x", soon()))), "NOT_FOUND");
}

TEST_F(RecoveryTest, ASecondFactorIsTakenAway) {
  UserRecord ann = *registerIn(shop(), "ann@example.com");
  EXPECT_FALSE(*run(recovery_.resetFactor(shop(), ann.id, soon())));
  ann.mfaEnabled = true;
  SecondFactorRecord factor;
  factor.id = ann.id;
  putDocument(targetOf(kShop, kUsers, ann.id.str()), doc::encode(ann));
  putDocument(targetOf(kShop, kSecondFactors, ann.id.str()), doc::encode(factor));
  EXPECT_TRUE(*run(recovery_.resetFactor(shop(), ann.id, soon())));
  EXPECT_FALSE(read(shop(), ann.id).mfaEnabled);
  EXPECT_TRUE(store_.all({kShop, kSecondFactors, 0}).empty());
  EXPECT_EQ(auditActions().back(), "mfa.reset");
  EXPECT_EQ(codeOf(run(recovery_.resetFactor(shop(), UserId("user_nobody"), soon()))), "NOT_FOUND");
}

TEST_F(RecoveryTest, TheLastOperatorStays) {
  const UserId ann = registerIn(Realm::platform(), "ann@example.com")->id;
  EXPECT_TRUE(*setOperator(ann, true));
  EXPECT_FALSE(*setOperator(ann, true));
  EXPECT_EQ(read(Realm::platform(), ann).platformRole, kSuperAdmin);
  EXPECT_EQ(codeOf(setOperator(ann, false)), "CONFLICT");
  ASSERT_TRUE(setOperator(admin_.id, true));
  EXPECT_TRUE(*setOperator(ann, false));
  EXPECT_FALSE(*setOperator(ann, false));
  EXPECT_EQ(codeOf(setOperator(admin_.id, false)), "CONFLICT");
  // A blocked super-admin does not count.
  ASSERT_TRUE(setOperator(ann, true));
  ASSERT_TRUE(setStatus(Realm::platform(), ann, UserStatus::blocked));
  EXPECT_EQ(codeOf(setOperator(admin_.id, false)), "CONFLICT");
  EXPECT_EQ(codeOf(setOperator(UserId("user_nobody"), true)), "NOT_FOUND");
  const auto all = auditActions(store::kControlProject);
  EXPECT_EQ(std::ranges::count(all, "operator.added"), 3);
  EXPECT_EQ(std::ranges::count(all, "operator.removed"), 1);
}

TEST_F(RecoveryTest, OfTwoTakenOutAtOnceOneStays) {
  for (int round = 0; round < 20; ++round) {
    const UserId ann = registerIn(Realm::platform(), fmt::format("ann{}@example.com", round))->id;
    ASSERT_TRUE(setOperator(admin_.id, true));
    ASSERT_TRUE(setOperator(ann, true));
    std::vector<Task<bool>> tasks;
    tasks.push_back(recovery_.setOperator(admin_.id, false, soon()));
    tasks.push_back(recovery_.setOperator(ann, false, soon()));
    size_t taken = 0;
    for (const auto& result : runAll(std::move(tasks))) taken += result && *result ? 1 : 0;
    EXPECT_EQ(taken, 1U);
    if (read(Realm::platform(), ann).platformRole != kSuperAdmin) continue;
    ASSERT_TRUE(setOperator(admin_.id, true));
    ASSERT_TRUE(setOperator(ann, false));
  }
}

TEST_F(RecoveryTest, AnOperatorsTokensInHandAreLookedAtAgain) {
  const SignedIn ann = signIn(Realm::platform(), "ann@example.com");
  EXPECT_FALSE(run(identity_.authenticator().control(ann.token))->caller.superAdmin);
  ASSERT_TRUE(setOperator(ann.user.id, true));
  EXPECT_TRUE(run(identity_.authenticator().control(ann.token))->caller.superAdmin);
}

}  // namespace
}  // namespace mb::identity
