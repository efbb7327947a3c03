#include "identity/mfa.h"

#include <map>
#include <set>

#include "identity/mfa_fixture.h"

namespace mb::identity {
namespace {

using MfaTest = MfaFixture;

// ---- life cycle

TEST_F(MfaTest, CountsFromTheFirstCodeOn) {
  for (const Realm& realm : {shop(), Realm::platform()}) {
    Person ann = person(realm, "ann@example.com");
    ASSERT_EQ(enroll(ann), "");
    EXPECT_EQ(ann.secret.size(), kTotpSecretBytes);
    EXPECT_FALSE(stored(ann).mfaEnabled);
    EXPECT_FALSE(factorOf(ann));
    ASSERT_EQ(activate(ann, totp(ann, 0)), "");
    EXPECT_TRUE(stored(ann).mfaEnabled);
    EXPECT_EQ(std::set(ann.recovery.begin(), ann.recovery.end()).size(), kRecoveryCodes);
    clock_.advance(kStepMs);
    const auto back = run(identity_.mfa().verify(realm, {challenge(ann), totp(ann, 0)}, stranger(), soon()));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, ann.id);
    EXPECT_EQ(disable(ann, ann.recovery[3]), "");
    EXPECT_FALSE(stored(ann).mfaEnabled);
    EXPECT_FALSE(factorOf(ann));
  }
}

TEST_F(MfaTest, NeitherSecretNorRecoveryCodesAreStored) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  const auto everything = [&] {
    std::string all;
    for (const store::CollectionNo collection : {kUsers, kChallenges, kSecondFactors}) {
      for (const auto& document : store_.all({kShop, collection, 0})) all += doc::toJson(document);
    }
    return all;
  };
  EXPECT_FALSE(everything().contains(toBase32(ann.secret)));
  EXPECT_FALSE(everything().contains(toBase64(ann.secret)));
  ASSERT_EQ(activate(ann, totp(ann, 0)), "");
  EXPECT_FALSE(everything().contains(toBase64(ann.secret)));
  for (const std::string& code : ann.recovery) EXPECT_FALSE(everything().contains(code)) << code;
}

TEST_F(MfaTest, AnAbandonedEnrollmentLeavesNothing) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  clock_.advance(kEnrollmentMs);
  EXPECT_EQ(activate(ann, totp(ann, 0)), "CONFLICT");
  EXPECT_FALSE(stored(ann).mfaEnabled);
  EXPECT_FALSE(factorOf(ann));
  EXPECT_TRUE(login(shop(), "ann@example.com"));
  // The next challenge removes the expired enrollment.
  challenge(person("bob@example.com"));
  for (const auto& left : store_.all({kShop, kChallenges, 0})) {
    EXPECT_NE(left.view().stringOr("userId"), ann.id.str());
  }
}

TEST_F(MfaTest, AnEnrollmentLastsAQuarterOfAnHour) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  clock_.advance(kEnrollmentMs - 1);
  EXPECT_EQ(activate(ann, totp(ann, 0)), "");
}

TEST_F(MfaTest, ASecondEnrollmentTakesThePlaceOfTheFirst) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  const Person before = ann;
  ASSERT_EQ(enroll(ann), "");
  ASSERT_NE(before.secret, ann.secret);
  EXPECT_EQ(activate(ann, totp(before, 0)), "VALIDATION");
  EXPECT_EQ(activate(ann, totp(ann, 0)), "");
  EXPECT_EQ(activate(ann, totp(ann, 1)), "CONFLICT");
  EXPECT_EQ(enroll(ann), "CONFLICT");
}

TEST_F(MfaTest, WhatIsNotThereIsAConflictAndNoTry) {
  Person ann = person("ann@example.com");
  for (int i = 0; i < 15; ++i) {
    ASSERT_EQ(activate(ann, "123456"), "CONFLICT");
    ASSERT_EQ(disable(ann, "123456"), "CONFLICT");
  }
  Person nobody{shop(), ids_.next<UserTag>(), "", {}};
  EXPECT_EQ(enroll(nobody), "NOT_FOUND");
  EXPECT_EQ(activate(nobody, "123456"), "NOT_FOUND");
  EXPECT_EQ(disable(nobody, "123456"), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(identity_.mfa().enroll(other(), ann.id, "Other", soon()))), "NOT_FOUND");
}

TEST_F(MfaTest, OfParallelActivationsOneWins) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  std::vector<Task<RecoveryCodes>> attempts;
  for (size_t i = 0; i < kMaxFailedCodes; ++i) {
    attempts.push_back(identity_.mfa().activate(shop(), totp(ann, 0), callerOf(ann), soon()));
  }
  EXPECT_EQ(outcomesOf(std::move(attempts)), (Outcomes{{"", 1}, {"CONFLICT", 9}}));
}

TEST_F(MfaTest, DisablingNeedsACode) {
  const Person ann = withFactor("ann@example.com");
  EXPECT_EQ(disable(ann, wrongCode(ann)), "VALIDATION");
  EXPECT_EQ(disable(ann, ""), "VALIDATION");
  EXPECT_EQ(disable(ann, totp(ann, -1)), "VALIDATION");  // used when it was activated
  EXPECT_TRUE(stored(ann).mfaEnabled);
  EXPECT_EQ(disable(ann, totp(ann, 0)), "");
}

// ---- admins

TEST_F(MfaTest, AResetLeavesNothingBehind) {
  const Person ann = withFactor("ann@example.com");
  const std::string token = challenge(ann);
  ASSERT_EQ(reset(shop(), ann.id), "");
  EXPECT_FALSE(stored(ann).mfaEnabled);
  EXPECT_FALSE(factorOf(ann));
  EXPECT_EQ(verify(shop(), token, totp(ann, 0)), "UNAUTHENTICATED");
  Person again = ann;
  ASSERT_EQ(enroll(again), "");
  ASSERT_EQ(activate(again, totp(again, -1)), "");
  EXPECT_NE(again.secret, ann.secret);
  EXPECT_EQ(verify(again, ann.recovery[0]), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(again, totp(again, 0)), "");
}

TEST_F(MfaTest, AResetEndsAnEnrollmentUnderWay) {
  Person ann = person("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  ASSERT_EQ(reset(shop(), ann.id), "");
  EXPECT_EQ(activate(ann, totp(ann, 0)), "CONFLICT");
}

TEST_F(MfaTest, AResetIsOfOneUserOfOneRealm) {
  const Person ann = withFactor("ann@example.com");
  const Person bob = withFactor("bob@example.com");
  EXPECT_EQ(reset(other(), ann.id), "NOT_FOUND");
  EXPECT_EQ(reset(Realm::platform(), ann.id), "NOT_FOUND");
  for (const char* id : {"", "user_", "nobody", "user_../x", "user_00000000000000000000"}) {
    EXPECT_EQ(reset(shop(), UserId(id)), "NOT_FOUND") << id;
  }
  ASSERT_EQ(reset(shop(), ann.id), "");
  EXPECT_TRUE(stored(bob).mfaEnabled);
  EXPECT_EQ(reset(shop(), ann.id), "");  // succeeds without a second factor
}

TEST_F(MfaTest, ChangesAreOnRecord) {
  const Person ann = withFactor("ann@example.com");
  ASSERT_EQ(verify(ann, ann.recovery[0]), "");
  ASSERT_EQ(reset(shop(), ann.id), "");
  std::map<std::string, std::string> actors;  // by action
  for (const auto& entry : store_.all({kShop, audit::kAuditCollection, 0})) {
    EXPECT_FALSE(doc::toJson(entry).contains(ann.recovery[0]));
    actors[std::string(entry.view().stringOr("action"))] = entry.view().find("actor")->asDocument().stringOr("id");
  }
  EXPECT_EQ(actors["mfa.activate"], ann.id.str());
  EXPECT_EQ(actors["mfa.recovery_used"], ann.id.str());
  EXPECT_EQ(actors["mfa.reset"], "user_admin");
}

}  // namespace
}  // namespace mb::identity
