// A second factor and the verification of the address: the owner of the mailbox is never locked out.
#include "identity/mfa_fixture.h"

namespace mb::identity {
namespace {

using mail::MailTemplate;

class FactorVerificationTest : public MfaFixture {
 protected:
  void move(const Person& who, const std::string& email) {
    UserPatch patch;
    patch.email = email;
    EXPECT_TRUE(run(identity_.users().patch(who.realm, who.id, std::move(patch), admin(), soon())));
  }
  std::string mailed(LinkPurpose purpose, const Realm& realm, const std::string& email) {
    EXPECT_TRUE(run(identity_.links().mailLink(realm, purpose, email)));
    return mail::testing::MailBox::parameter(box_.to(email).back(), "token");
  }
  void verifyByMail(const Person& who, const std::string& email) {
    const std::string token = mailed(LinkPurpose::verifyEmail, who.realm, email);
    EXPECT_TRUE(run(identity_.links().verify(who.realm, token, stranger(), soon())));
  }
  void resetPassword(const Person& who, const std::string& email) {
    const std::string token = mailed(LinkPurpose::resetPassword, who.realm, email);
    EXPECT_TRUE(run(identity_.links().reset(who.realm, {token, "another horse"}, stranger(), soon())));
  }
  std::vector<Realm> planes() const { return {shop(), Realm::platform()}; }
};

TEST_F(FactorVerificationTest, EnrollingAndActivatingNeedAVerifiedAddressWhereMailsAreSent) {
  for (const Realm& realm : planes()) {
    Person ann = unverified(realm, "ann@example.com");
    EXPECT_EQ(enroll(ann), "EMAIL_UNVERIFIED");
    verifyByMail(ann, "ann@example.com");
    EXPECT_EQ(enroll(ann), "");
    move(ann, "eve@example.com");
    EXPECT_EQ(activate(ann, totp(ann, -1)), "EMAIL_UNVERIFIED");
    EXPECT_FALSE(stored(ann).mfaEnabled);
    EXPECT_FALSE(factorOf(ann));
    verifyByMail(ann, "eve@example.com");
    EXPECT_EQ(activate(ann, totp(ann, -1)), "");
  }
}

TEST_F(FactorVerificationTest, AFactorFromBeforeTheVerificationGoesWithAReset) {
  for (const Realm& realm : planes()) {
    const Person ann = withFactor(realm, "ann@example.com");
    move(ann, "eve@example.com");
    verifyByMail(ann, "eve@example.com");
    EXPECT_TRUE(stored(ann).mfaEnabled);
    resetPassword(ann, "eve@example.com");
    EXPECT_FALSE(stored(ann).mfaEnabled);
    EXPECT_FALSE(factorOf(ann));
  }
}

TEST_F(FactorVerificationTest, AFactorOfAVerifiedAddressOutlivesAReset) {
  const Person ann = withFactor("ann@example.com");
  resetPassword(ann, "ann@example.com");
  EXPECT_TRUE(stored(ann).mfaEnabled);
  EXPECT_EQ(verify(ann, totp(ann, 0)), "");
}

TEST_F(FactorVerificationTest, ASignInInProgressNeedsAFactorThatWasActivatedSince) {
  for (const Realm& realm : planes()) {
    Person ann = person(realm, "ann@example.com");
    const auto before = login(realm, "ann@example.com");
    ASSERT_TRUE(before);
    ASSERT_EQ(enroll(ann), "");
    ASSERT_EQ(activate(ann, totp(ann, -1)), "");
    const auto admission = run(identity_.admit(realm, *before, {"203.0.113.1", "a browser"}, soon()));
    ASSERT_TRUE(admission);
    EXPECT_FALSE(admission->opened);
    EXPECT_TRUE(run(identity_.sessions().list(realm, ann.id, soon()))->empty());
    EXPECT_EQ(verify(realm, admission->mfaToken, totp(ann, 0)), "");
  }
}

}  // namespace
}  // namespace mb::identity
