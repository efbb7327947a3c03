#include "identity/second_factor.h"

#include <set>

#include "identity/identity_fixture.h"
#include "identity/totp.h"

namespace mb::identity {
namespace {

class SecondFactorTest : public IdentityFixture {
 protected:
  SecondFactorRecord factorOf(const UserId& user, std::vector<std::string> codes = {}) const {
    SecondFactorRecord factor{user, sealSecret(deps_, user, kSecret), 0, {}, clock_.now()};
    for (const std::string& code : codes) factor.recovery.push_back(recoveryDigest(user, plainCode(code)));
    return factor;
  }
  std::string codeAt(int64_t offset) const { return hotp(kSecret, now() + offset); }
  int64_t now() const { return clock_.now().ms / 30'000; }
  CodeKind use(SecondFactorRecord& factor, std::string_view code) const { return *useCode(deps_, factor, code); }

  static constexpr std::string_view kSecret = "twenty bytes of it..";
  const IdentityDeps deps_{
      store_,    snapshots_, cores_, ids_, clock_, auditor_, master_, box_.mailer(), "https://api.example.com",
      variables_};
  const UserId ann_{"user_ann"};
  const UserId bob_{"user_bob"};
};

TEST_F(SecondFactorTest, CodesAreReadAsPeopleTypeThem) {
  const std::pair<std::string, std::string> cases[] = {{"123456", "123456"},
                                                       {" 123 456 ", "123456"},
                                                       {"12-34-56", "123456"},
                                                       {"ABCD-efgh IJKL-mnop", "abcdefghijklmnop"},
                                                       {"--- ", ""},
                                                       {"", ""},
                                                       {"12\t3456", "12\t3456"},
                                                       {std::string(64, '1'), std::string(64, '1')},
                                                       {std::string(65, '1'), ""}};
  for (const auto& [typed, plain] : cases) EXPECT_EQ(plainCode(typed), plain) << typed;
}

TEST_F(SecondFactorTest, RecoveryCodesAreEightyRandomBits) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string code = makeRecoveryCode();
    ASSERT_EQ(code.size(), 19U);
    for (size_t at = 0; at < code.size(); ++at) {
      const bool hyphen = at % 5 == 4;
      EXPECT_EQ(code[at] == '-', hyphen) << code;
      if (!hyphen) EXPECT_TRUE(std::string_view("abcdefghijklmnopqrstuvwxyz234567").contains(code[at])) << code;
    }
    seen.insert(code);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST_F(SecondFactorTest, DigestsAreOfOneUser) {
  EXPECT_EQ(recoveryDigest(ann_, "abc"), recoveryDigest(ann_, "abc"));
  EXPECT_NE(recoveryDigest(ann_, "abc"), recoveryDigest(bob_, "abc"));
  EXPECT_NE(recoveryDigest(ann_, "abc"), recoveryDigest(ann_, "abd"));
}

TEST_F(SecondFactorTest, ASecretOpensForItsUserOnly) {
  const std::string sealed = sealSecret(deps_, ann_, kSecret);
  EXPECT_EQ(openSecret(deps_, ann_, sealed)->reveal(), kSecret);
  EXPECT_FALSE(fromBase64(sealed)->contains(kSecret));
  std::string damaged = *fromBase64(sealed);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  const std::pair<const char*, Result<Secret>> refusals[] = {{"another user's", openSecret(deps_, bob_, sealed)},
                                                             {"damaged", openSecret(deps_, ann_, toBase64(damaged))},
                                                             {"cut", openSecret(deps_, ann_, sealed.substr(0, 8))},
                                                             {"empty", openSecret(deps_, ann_, "")},
                                                             {"no base64", openSecret(deps_, ann_, "*")}};
  for (const auto& [what, opened] : refusals) EXPECT_FALSE(opened) << what;
}

TEST_F(SecondFactorTest, ACodeMarksItsStep) {
  SecondFactorRecord factor = factorOf(ann_);
  EXPECT_EQ(use(factor, codeAt(-1)), CodeKind::totp);
  EXPECT_EQ(factor.lastStep, now() - 1);
  EXPECT_EQ(use(factor, codeAt(-1)), CodeKind::wrong);
  EXPECT_EQ(use(factor, codeAt(1)), CodeKind::totp);
  EXPECT_EQ(factor.lastStep, now() + 1);
  // The current step precedes the one that was used.
  EXPECT_EQ(use(factor, codeAt(0)), CodeKind::wrong);
  EXPECT_EQ(factor.lastStep, now() + 1);
}

TEST_F(SecondFactorTest, ARecoveryCodeGoesAndTheOthersStay) {
  SecondFactorRecord factor = factorOf(ann_, {"aaaa-bbbb", "cccc-dddd", "eeee-ffff"});
  EXPECT_EQ(use(factor, "CCCC DDDD"), CodeKind::recovery);
  EXPECT_EQ(factor.recovery.size(), 2U);
  EXPECT_EQ(use(factor, "cccc-dddd"), CodeKind::wrong);
  EXPECT_EQ(use(factor, "aaaa-bbbb"), CodeKind::recovery);
  EXPECT_EQ(use(factor, "eeeeffff"), CodeKind::recovery);
  EXPECT_TRUE(factor.recovery.empty());
  EXPECT_EQ(factor.lastStep, 0);
}

TEST_F(SecondFactorTest, NothingElseIsACode) {
  SecondFactorRecord factor = factorOf(ann_, {"aaaa-bbbb"});
  const std::string digest = factor.recovery[0];
  const std::string right = codeAt(0);
  for (const std::string& bad :
       {std::string(), std::string("-"), digest, right + "0", right.substr(1), "0" + right, std::string("aaaa-bbb"),
        std::string("aaaa-bbbbb"), std::string(100'000, '1'), std::string(6, '\0'), codeAt(2), codeAt(-2)}) {
    EXPECT_EQ(use(factor, bad), CodeKind::wrong) << bad.substr(0, 100);
  }
  EXPECT_EQ(factor.recovery.size(), 1U);
  EXPECT_EQ(factor.lastStep, 0);
}

TEST_F(SecondFactorTest, AnotherUsersRecordAcceptsNothing) {
  SecondFactorRecord factor = factorOf(ann_, {"aaaa-bbbb"});
  factor.id = bob_;
  EXPECT_EQ(codeOf(useCode(deps_, factor, "aaaa-bbbb")), "INTERNAL");
}

}  // namespace
}  // namespace mb::identity
