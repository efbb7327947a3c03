// Sign-ins in the audit log.
#include "identity/login_audit.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class LoginAuditTest : public IdentityFixture {
 protected:
  std::vector<audit::AuditEntry> recorded(const Realm& realm, std::string_view action) {
    std::vector<audit::AuditEntry> found;
    for (const doc::Document& each : store_.all({realm.project, audit::kAuditCollection, 0})) {
      if (each.view().stringOr("action") == action) found.push_back(*store::fromStore<audit::AuditEntry>(each.view()));
    }
    return found;
  }
  std::string failedLogin(const Realm& realm, std::string email, std::string password = "wrong horse") {
    policy::Caller by;
    by.ip = "203.0.113.9";
    by.requestId = "req-9";
    return codeOf(run(identity_.users().checkPassword(realm, {std::move(email), std::move(password)}, by)));
  }
};

TEST_F(LoginAuditTest, KnownAndUnknownAddressesAreRecordedAlike) {
  for (const Realm& realm : {shop(), Realm::platform()}) {
    ASSERT_TRUE(registerIn(realm, "ann@example.com"));
    const size_t before = recorded(realm, "login.failed").size();
    EXPECT_EQ(failedLogin(realm, "ann@example.com"), "INVALID_CREDENTIALS");
    EXPECT_EQ(failedLogin(realm, "eve@example.com"), "INVALID_CREDENTIALS");
    const auto failed = recorded(realm, "login.failed");
    ASSERT_EQ(failed.size(), before + 2);
    for (size_t i = 0; i < 2; ++i) {
      const audit::AuditEntry& entry = failed[before + i];
      EXPECT_EQ(entry.actor.kind, "anonymous");
      EXPECT_EQ(entry.actor.id, "");
      EXPECT_EQ(entry.target, "users");
      EXPECT_EQ(entry.ip, "203.0.113.9");
      EXPECT_EQ(entry.requestId, "req-9");
      EXPECT_EQ(doc::toJson(entry.details), std::string(R"({"method":"password","reason":"credentials","email":")") +
                                                (i == 0 ? "ann" : "eve") + R"(@example.com"})");
    }
  }
}

TEST_F(LoginAuditTest, RefusalsHaveAReason) {
  const auto ann = registerIn(shop(), "ann@example.com");
  ASSERT_TRUE(setStatus(shop(), ann->id, UserStatus::blocked));
  EXPECT_EQ(failedLogin(shop(), "ann@example.com", "correct horse"), "USER_BLOCKED");
  ASSERT_TRUE(setStatus(shop(), ann->id, UserStatus::inactive));
  EXPECT_EQ(failedLogin(shop(), "ann@example.com", "correct horse"), "USER_INACTIVE");
  for (size_t i = 0; i < kMaxFailedLogins; ++i) failedLogin(shop(), "eve@example.com");
  EXPECT_EQ(failedLogin(shop(), "eve@example.com"), "RATE_LIMITED");
  const auto failed = recorded(shop(), "login.failed");
  ASSERT_EQ(failed.size(), 2 + kMaxFailedLogins + 1);
  EXPECT_EQ(failed[0].details.view().stringOr("reason"), "blocked");
  EXPECT_EQ(failed[1].details.view().stringOr("reason"), "inactive");
  EXPECT_EQ(failed.back().details.view().stringOr("reason"), "tooManyTries");
  for (const auto& entry : failed) EXPECT_EQ(doc::toJson(entry.details).find("horse"), std::string::npos);
}

TEST_F(LoginAuditTest, ASessionIsRecordedInItsOwnCommit) {
  const auto ann = registerIn(shop(), "ann@example.com");
  const auto opened = run(identity_.sessions().open(
      shop(), *ann, {"203.0.113.1", "a browser", "req-1", std::string("oidc-works")}, soon()));
  ASSERT_TRUE(opened);
  const auto entries = recorded(shop(), "login.succeeded");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].actor.kind, "user");
  EXPECT_EQ(entries[0].actor.id, ann->id.str());
  EXPECT_EQ(entries[0].requestId, "req-1");
  EXPECT_EQ(entries[0].details.view().stringOr("method"), "oidc-works");
  EXPECT_EQ(entries[0].details.view().stringOr("session"), opened->session.id.str());
  // One that is refused leaves nothing.
  UserRecord elsewhere = *ann;
  elsewhere.signedOutAt = clock_.now();
  EXPECT_FALSE(run(identity_.sessions().open(shop(), elsewhere, {"", "", "", std::string("password")}, soon())));
  EXPECT_EQ(recorded(shop(), "login.succeeded").size(), 1U);
}

TEST_F(LoginAuditTest, TheRecordIsBounded) {
  for (int i = 0; i < 70; ++i) failedLogin(shop(), "eve" + std::to_string(i) + "@example.com");
  EXPECT_EQ(recorded(shop(), "login.failed").size(), 60U);
  failedLogin(other(), "eve@example.com");
  EXPECT_EQ(recorded(other(), "login.failed").size(), 1U);
}

TEST(Shortened, CutsByCharacters) {
  EXPECT_EQ(shortened("a@b"), "a@b");
  EXPECT_EQ(shortened(std::string(255, 'x')), std::string(254, 'x'));
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "ü";
  EXPECT_EQ(shortened(wide), wide.substr(0, 508));
}

}  // namespace
}  // namespace mb::identity
