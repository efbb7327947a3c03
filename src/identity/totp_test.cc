#include "identity/totp.h"

#include <gtest/gtest.h>

#include "base/crypto.h"

namespace mb::identity {
namespace {

struct Base32Case {
  const char* bytes;
  const char* text;
};

TEST(Base32, TakesFiveBitsAtATime) {
  const Base32Case cases[] = {{"", ""},
                              {"m", "NU"},
                              {"ma", "NVQQ"},
                              {"man", "NVQW4"},
                              {"many", "NVQW46I"},
                              {"manyb", "NVQW46LC"},
                              {"\xff\xff\xff\xff\xff", "77777777"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(toBase32(bytes), text) << bytes;
}

class Totp : public ::testing::Test {
 protected:
  Totp() { initCrypto(); }
  static Timestamp at(int64_t step, int64_t ms = 0) { return {step * 30'000 + ms}; }
  const std::string secret_ = "0123456789abcdefghij";
};

TEST_F(Totp, CodesAreSixDigitsAndDependOnTheCounter) {
  std::set<std::string> seen;
  for (int64_t counter = 0; counter < 200; ++counter) {
    const std::string code = hotp(secret_, counter);
    EXPECT_EQ(code.size(), 6U);
    EXPECT_EQ(code.find_first_not_of("0123456789"), std::string::npos);
    seen.insert(code);
  }
  EXPECT_GT(seen.size(), 195U);
  EXPECT_NE(hotp(secret_, 7), hotp("another secret of old", 7));
}

TEST_F(Totp, AStepEitherWayCounts) {
  const int64_t step = 60'000'000;
  const std::string code = hotp(secret_, step);
  EXPECT_EQ(totpStep(secret_, code, at(step), 0), step);
  EXPECT_EQ(totpStep(secret_, code, at(step, 29'999), 0), step);
  EXPECT_EQ(totpStep(secret_, code, at(step - 1), 0), step);
  EXPECT_EQ(totpStep(secret_, code, at(step + 1, 29'999), 0), step);
  EXPECT_FALSE(totpStep(secret_, code, at(step + 2), 0));
  EXPECT_FALSE(totpStep(secret_, code, at(step - 2, 29'999), 0));
}

TEST_F(Totp, NoCodeCountsTwiceNorAnOlderOneAfterIt) {
  const int64_t step = 60'000'000;
  EXPECT_FALSE(totpStep(secret_, hotp(secret_, step), at(step), step));
  EXPECT_FALSE(totpStep(secret_, hotp(secret_, step - 1), at(step), step));
  EXPECT_EQ(totpStep(secret_, hotp(secret_, step + 1), at(step), step), step + 1);
}

TEST_F(Totp, OtherTextsAreNoCodes) {
  const int64_t step = 60'000'000;
  const std::string code = hotp(secret_, step);
  for (const std::string& text : {std::string(), code.substr(1), code + "0", " " + code, std::string("------"),
                                  std::string(6, '\0'), std::string(10'000, '1')}) {
    EXPECT_FALSE(totpStep(secret_, text, at(step), 0)) << text.size();
  }
}

TEST_F(Totp, TheUrlIsEscaped) {
  EXPECT_EQ(otpauthUrl("Fish & Chips: №1", "ann+x@example.com", "many"),
            "otpauth://totp/Fish%20%26%20Chips%3A%20%E2%84%961:ann%2Bx%40example.com?secret=NVQW46I"
            "&issuer=Fish%20%26%20Chips%3A%20%E2%84%961&algorithm=SHA1&digits=6&period=30");
}

}  // namespace
}  // namespace mb::identity
