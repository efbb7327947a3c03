// The second step of a sign-in.
#include "identity/mfa_fixture.h"

namespace mb::identity {
namespace {

class MfaSignInTest : public MfaFixture {
 protected:
  // The same code with a token each, at once.
  Outcomes inParallel(const Person& who, const std::string& code, int attempts) {
    std::vector<Task<UserRecord>> tasks;
    for (int i = 0; i < attempts; ++i) {
      tasks.push_back(identity_.mfa().verify(who.realm, {challenge(who), code}, stranger(), soon()));
    }
    return outcomesOf(std::move(tasks));
  }
  void setPassword(const Person& who, const std::string& address) {
    ASSERT_TRUE(run(identity_.links().mailLink(who.realm, LinkPurpose::resetPassword, address)));
    const std::string token = mail::testing::MailBox::parameter(box_.to(address).back(), "token");
    ASSERT_TRUE(run(identity_.links().reset(who.realm, {token, "another horse"}, stranger(), soon())));
  }
};

// ---- codes

TEST_F(MfaSignInTest, NoCodeCountsTwice) {
  const Person ann = withFactor("ann@example.com");
  EXPECT_EQ(verify(ann, totp(ann, -1)), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(ann, totp(ann, 1)), "");
  EXPECT_EQ(verify(ann, totp(ann, 1)), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(ann, totp(ann, 0)), "INVALID_CREDENTIALS");
  clock_.advance(kStepMs);
  EXPECT_EQ(verify(ann, totp(ann, 0)), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(ann, totp(ann, 1)), "");
  EXPECT_EQ(verify(ann, ann.recovery[0]), "");
  EXPECT_EQ(verify(ann, ann.recovery[0]), "INVALID_CREDENTIALS");
  EXPECT_EQ(disable(ann, ann.recovery[0]), "VALIDATION");
}

TEST_F(MfaSignInTest, ClocksMayDifferByAStep) {
  const std::pair<int64_t, bool> cases[] = {{-2, false}, {-1, true}, {0, true}, {1, true}, {2, false}};
  for (const auto& [offset, taken] : cases) {
    const Person ann = withFactor("ann" + std::to_string(offset + 2) + "@example.com");
    clock_.advance(10 * kStepMs);
    EXPECT_EQ(verify(ann, totp(ann, offset)), taken ? "" : "INVALID_CREDENTIALS") << offset;
  }
}

TEST_F(MfaSignInTest, OfParallelAttemptsWithACodeOneWins) {
  const Person ann = withFactor("ann@example.com");
  EXPECT_EQ(inParallel(ann, totp(ann, 0), 10), (Outcomes{{"", 1}, {"INVALID_CREDENTIALS", 9}}));
}

TEST_F(MfaSignInTest, OfParallelAttemptsWithARecoveryCodeOneWins) {
  const Person ann = withFactor("ann@example.com");
  EXPECT_EQ(inParallel(ann, ann.recovery[0], 10), (Outcomes{{"", 1}, {"INVALID_CREDENTIALS", 9}}));
  clock_.advance(15 * 60'000);
  EXPECT_EQ(verify(ann, ann.recovery[1]), "");
}

TEST_F(MfaSignInTest, OfParallelAttemptsWithATokenOneWins) {
  const Person ann = withFactor("ann@example.com");
  const std::string token = challenge(ann);
  std::vector<Task<UserRecord>> attempts;
  for (size_t i = 0; i < 10; ++i) {
    attempts.push_back(identity_.mfa().verify(shop(), {token, ann.recovery[i]}, stranger(), soon()));
  }
  EXPECT_EQ(outcomesOf(std::move(attempts)), (Outcomes{{"", 1}, {"UNAUTHENTICATED", 9}}));
}

// ---- limits of attempts

TEST_F(MfaSignInTest, ATokenHasFiveAttempts) {
  const Person ann = withFactor("ann@example.com");
  const std::string token = challenge(ann);
  for (int i = 0; i < kMaxMfaAttempts; ++i) EXPECT_EQ(verify(shop(), token, wrongCode(ann)), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(shop(), token, totp(ann, 0)), "UNAUTHENTICATED");
  EXPECT_EQ(verify(ann, totp(ann, 0)), "");
}

TEST_F(MfaSignInTest, AttemptsAreCountedPerAccount) {
  const Person ann = withFactor("ann@example.com");
  const Person bob = withFactor("bob@example.com");
  for (size_t i = 0; i < kMaxFailedCodes; ++i) {
    ASSERT_EQ(verify(ann, wrongCode(ann)), "INVALID_CREDENTIALS") << i;
  }
  EXPECT_EQ(verify(ann, totp(ann, 0)), "RATE_LIMITED");
  EXPECT_EQ(verify(ann, ann.recovery[0]), "RATE_LIMITED");
  EXPECT_EQ(disable(ann, totp(ann, 0)), "RATE_LIMITED");
  EXPECT_TRUE(stored(ann).mfaEnabled);
  EXPECT_EQ(verify(bob, totp(bob, 0)), "");
  clock_.advance(15 * 60'000 - 1);
  EXPECT_EQ(verify(ann, ann.recovery[0]), "RATE_LIMITED");
  clock_.advance(1);
  EXPECT_EQ(verify(ann, ann.recovery[0]), "");
}

// Ten wrong codes are allowed in all, not ten for each pending sign-in.
TEST_F(MfaSignInTest, ParallelAttemptsAreCountedToo) {
  const Person ann = withFactor("ann@example.com");
  std::vector<std::string> tokens;
  for (size_t i = 0; i < kChallengesPerUser; ++i) tokens.push_back(challenge(ann));
  std::vector<Task<UserRecord>> attempts;
  for (int i = 0; i < 40; ++i) {
    attempts.push_back(identity_.mfa().verify(shop(), {tokens[static_cast<size_t>(i) % tokens.size()], wrongCode(ann)},
                                              stranger(), soon()));
  }
  Outcomes outcomes = outcomesOf(std::move(attempts));
  EXPECT_EQ(outcomes["INVALID_CREDENTIALS"], 10);
  EXPECT_EQ(outcomes["RATE_LIMITED"], 30);
}

TEST_F(MfaSignInTest, RightCodesAreNotCounted) {
  const Person ann = withFactor("ann@example.com");
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(verify(ann, totp(ann, 0)), "") << i;
    clock_.advance(kStepMs);
  }
}

TEST_F(MfaSignInTest, WrongFirstCodesAreCountedToo) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  for (size_t i = 0; i < kMaxFailedCodes; ++i) ASSERT_EQ(activate(ann, wrongCode(ann)), "VALIDATION");
  EXPECT_EQ(activate(ann, totp(ann, 0)), "RATE_LIMITED");
}

// ---- tokens

TEST_F(MfaSignInTest, ATokenIsOfItsRealmAndTime) {
  const Person ann = withFactor("ann@example.com");
  const std::string token = challenge(ann);
  EXPECT_EQ(verify(other(), token, totp(ann, 0)), "UNAUTHENTICATED");
  EXPECT_EQ(verify(Realm::platform(), token, totp(ann, 0)), "UNAUTHENTICATED");
  for (const std::string& bad : {std::string(), std::string("x"), token + "x", token.substr(1), "mfa:" + token,
                                 std::string(1 << 20, 'x'), std::string(1, '\0'), ann.id.str()}) {
    EXPECT_EQ(verify(shop(), bad, totp(ann, 0)), "UNAUTHENTICATED") << bad.substr(0, 60);
  }
  clock_.advance(kMfaTokenMs - 1);
  EXPECT_EQ(verify(shop(), challenge(ann), totp(ann, 0)), "");
  clock_.advance(1);
  EXPECT_EQ(verify(shop(), token, ann.recovery[0]), "UNAUTHENTICATED");
  EXPECT_EQ(verify(ann, ann.recovery[0]), "");
}

TEST_F(MfaSignInTest, TheTokenItselfIsNowhere) {
  const Person ann = withFactor("ann@example.com");
  const std::string token = challenge(ann);
  EXPECT_EQ(fromBase64Url(token)->size(), 32U);
  for (const auto& stored : store_.all({kShop, kChallenges, 0})) EXPECT_FALSE(doc::toJson(stored).contains(token));
}

TEST_F(MfaSignInTest, ATokenEndsWithThePassword) {
  const Person ann = person("ann@example.com");
  setPassword(ann, "ann@example.com");  // verifies the address, so that the factor outlives the next reset
  Person who = ann;
  ASSERT_EQ(enroll(who), "");
  ASSERT_EQ(activate(who, totp(who, -1)), "");
  const std::string token = challenge(who);
  setPassword(who, "ann@example.com");
  ASSERT_TRUE(stored(who).mfaEnabled);
  EXPECT_EQ(verify(shop(), token, totp(who, 0)), "UNAUTHENTICATED");
}

TEST_F(MfaSignInTest, AnInactiveUserIsRefused) {
  const std::pair<UserStatus, const char*> cases[] = {{UserStatus::blocked, "USER_BLOCKED"},
                                                      {UserStatus::inactive, "USER_INACTIVE"}};
  int number = 0;
  for (const auto& [status, refusal] : cases) {
    const Person ann = withFactor("ann" + std::to_string(number++) + "@example.com");
    const std::string token = challenge(ann);
    ASSERT_TRUE(setStatus(shop(), ann.id, status));
    // The status is reported only after the right code.
    EXPECT_EQ(verify(shop(), token, wrongCode(ann)), "INVALID_CREDENTIALS");
    EXPECT_EQ(verify(shop(), token, totp(ann, 0)), refusal);
    EXPECT_EQ(verify(shop(), token, ann.recovery[0]), "UNAUTHENTICATED");
  }
}

}  // namespace
}  // namespace mb::identity
