#include <algorithm>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

using mail::MailTemplate;

constexpr const char* kOld = "correct horse";
constexpr const char* kNew = "another horse";

class PasswordChangeTest : public IdentityFixture {
 protected:
  PasswordChangeTest() { ann_ = signIn(shop(), "ann@example.com"); }

  policy::Caller as(const SignedIn& in, policy::CallerKind kind = policy::CallerKind::endUser) const {
    policy::Caller caller;
    caller.kind = kind;
    caller.id = in.user.id.str();
    caller.sessionId = in.session.session.id.str();
    caller.ip = "203.0.113.5";
    caller.requestId = "req-7";
    return caller;
  }
  std::string change(const std::string& current, const std::string& password = kNew) {
    return codeOf(run(identity_.users().changePassword(shop(), {current, password}, as(ann_), soon())));
  }

  SignedIn ann_;
};

TEST_F(PasswordChangeTest, SetsThePasswordAndEndsTheOtherSessions) {
  const auto second = open(shop(), ann_.user.id);
  const std::string other = identity_.tokens().mintEndUser(ann_.user.id, second.session.id, shop().id, "user", {});
  ASSERT_TRUE(identify(other));
  ASSERT_TRUE(identify(ann_.token));
  EXPECT_EQ(change(kOld), "");
  EXPECT_EQ(codeOf(identify(other)), "UNAUTHENTICATED");
  EXPECT_TRUE(identify(ann_.token));
  const auto left = run(identity_.sessions().list(shop(), ann_.user.id, soon()));
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().id, ann_.session.session.id);
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com", kOld)), "INVALID_CREDENTIALS");
  EXPECT_TRUE(login(shop(), "ann@example.com", kNew));
  EXPECT_EQ(box_.to("ann@example.com").back().kind, MailTemplate::passwordChanged);
  EXPECT_EQ(std::ranges::count(auditActions(), "user.passwordChanged"), 1);
}

TEST_F(PasswordChangeTest, ThePresentSessionIsRefreshedAndChangesAgain) {
  EXPECT_EQ(change(kOld), "");
  clock_.advance(120'000);
  const auto refreshed =
      run(identity_.sessions().refresh(shop(), ann_.session.refreshToken, Rotation::rotate, {}, soon()));
  ASSERT_TRUE(refreshed);
  const auto user = run(identity_.users().get(shop(), ann_.user.id));
  EXPECT_FALSE(isOver(refreshed->session, **user));
  EXPECT_TRUE(identify(ann_.token));
  EXPECT_EQ(change(kNew, kOld), "");
  EXPECT_TRUE(identify(ann_.token));
}

// The refresh read the session before the change and writes it after.
TEST_F(PasswordChangeTest, ARefreshUnderWayKeepsTheSessionValid) {
  clock_.advance(120'000);
  store_.beforeNextWrite([&] {
    // Core 0 waits in the write.
    EXPECT_TRUE(run(identity_.users().changePassword(shop(), {kOld, kNew}, as(ann_), soon()), 1));
  });
  EXPECT_TRUE(run(identity_.sessions().refresh(shop(), ann_.session.refreshToken, Rotation::keep, {}, soon())));
  EXPECT_TRUE(identify(ann_.token));
}

// A sign-in whose password was checked before the change gets no session after it.
TEST_F(PasswordChangeTest, ASignInUnderWayDoesNotOutliveIt) {
  const auto before = login(shop(), "ann@example.com");
  ASSERT_TRUE(before);
  EXPECT_EQ(change(kOld), "");
  EXPECT_EQ(codeOf(run(identity_.sessions().open(shop(), *before, {}, soon()))), "UNAUTHENTICATED");
}

TEST_F(PasswordChangeTest, AWrongPasswordChangesNothingAndIsCounted) {
  const std::string hash = (*run(identity_.users().get(shop(), ann_.user.id)))->passwordHash;
  for (const std::string& wrong : {std::string(), std::string("correct hors"), std::string(5000, 'x')}) {
    EXPECT_EQ(change(wrong), "INVALID_CREDENTIALS");
  }
  EXPECT_EQ((*run(identity_.users().get(shop(), ann_.user.id)))->passwordHash, hash);
  for (size_t i = 3; i < kMaxFailedLogins; ++i) EXPECT_EQ(change("wrong horse"), "INVALID_CREDENTIALS");
  EXPECT_EQ(change(kOld), "RATE_LIMITED");
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com")), "RATE_LIMITED");
  const auto all = auditActions();
  EXPECT_EQ(std::ranges::count(all, "user.passwordChanged"), 0);
  EXPECT_GT(std::ranges::count(all, "login.failed"), 0);
  clock_.advance(15 * 60'000);
  EXPECT_EQ(change(kOld), "");
}

TEST_F(PasswordChangeTest, TheRulesOfPasswordsHold) {
  for (const std::string& bad :
       {std::string(), std::string("short"), std::string(257, 'x'), std::string("ANN@example.com")}) {
    EXPECT_EQ(change(kOld, bad), "VALIDATION") << bad;
  }
  EXPECT_TRUE(login(shop(), "ann@example.com"));
}

TEST_F(PasswordChangeTest, AnAccountWithoutAPasswordIsRefused) {
  const auto eve = run(identity_.users().addProven(shop(), "eve@example.com", {}, soon()));
  ASSERT_TRUE(eve);
  const SignedIn in{*eve, open(shop(), eve->id), ""};
  EXPECT_EQ(codeOf(run(identity_.users().changePassword(shop(), {"", kNew}, as(in), soon()))), "CONFLICT");
}

TEST_F(PasswordChangeTest, AnEndedSessionChangesNothing) {
  ASSERT_TRUE(run(identity_.sessions().endAll(shop(), ann_.user.id, std::nullopt, soon())));
  EXPECT_EQ(change(kOld), "UNAUTHENTICATED");
  EXPECT_TRUE(login(shop(), "ann@example.com"));
  // The session of another user.
  const SignedIn bob = signIn(shop(), "bob@example.com");
  policy::Caller mixed = as(ann_);
  mixed.sessionId = bob.session.session.id.str();
  EXPECT_EQ(codeOf(run(identity_.users().changePassword(shop(), {kOld, kNew}, mixed, soon()))), "UNAUTHENTICATED");
}

TEST_F(PasswordChangeTest, OfParallelChangesOneWins) {
  std::vector<Task<>> changes;
  for (int i = 0; i < 4; ++i) {
    changes.push_back(
        identity_.users().changePassword(shop(), {kOld, fmt::format("horse number {}", i)}, as(ann_), soon()));
  }
  int won = 0;
  for (const Result<>& result : runAll(std::move(changes))) {
    if (result) ++won;
    if (!result) EXPECT_TRUE(codeOf(result) == "CONFLICT" || codeOf(result) == "INVALID_CREDENTIALS") << codeOf(result);
  }
  EXPECT_EQ(won, 1);
}

TEST_F(PasswordChangeTest, ALinkForAResetEndsWithIt) {
  ASSERT_TRUE(run(identity_.links().mailLink(shop(), LinkPurpose::resetPassword, "ann@example.com")));
  const std::string token = mail::testing::MailBox::parameter(box_.to("ann@example.com").back(), "token");
  ASSERT_FALSE(token.empty());
  EXPECT_EQ(change(kOld), "");
  EXPECT_EQ(codeOf(run(identity_.links().reset(shop(), {token, "a third horse"}, {}, soon()))), "VALIDATION");
}

TEST_F(PasswordChangeTest, PlatformUsersChangeTheirsToo) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  const policy::Caller caller = as(dev, policy::CallerKind::platform);
  EXPECT_TRUE(run(identity_.users().changePassword(Realm::platform(), {kOld, kNew}, caller, soon())));
  EXPECT_TRUE(login(Realm::platform(), "dev@example.com", kNew));
  EXPECT_TRUE(run(identity_.authenticator().control(dev.token)));
  EXPECT_EQ(std::ranges::count(auditActions(store::kControlProject), "user.passwordChanged"), 1);
}

}  // namespace
}  // namespace mb::identity
