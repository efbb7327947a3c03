#include <fmt/format.h>
#include <gtest/gtest.h>

#include "billing/events.h"

namespace mb::billing {
namespace {

constexpr int64_t kTime = 1'800'000'000;

const Secret& secret() {
  static const Secret kSecret("whsec_of-the-test");
  return kSecret;
}
std::string hex(std::string_view body, int64_t time = kTime, const Secret& with = secret()) {
  return toHex(hmacSha256(with.reveal(), fmt::format("{}.{}", time, body)));
}
bool isSigned(const std::string& header, std::string_view body = "{}", int64_t nowMs = kTime * 1000) {
  return isSignedBy(header, body, secret(), {nowMs});
}

// HMAC-SHA256 of "1800000000.{}" under the secret's text, by Python's hmac.
TEST(Signature, IsTheHmacOfTimeAndBody) {
  const std::string header = "t=1800000000,v1=506b34f5be9c2a0394ae1ef2d159f5741e01e47add88e79b494176ba36a107cc";
  EXPECT_TRUE(isSigned(header));
  EXPECT_FALSE(isSigned(header, "{} "));
  EXPECT_FALSE(isSignedBy(header, "{}", Secret("whsec_another"), {kTime * 1000}));
  EXPECT_FALSE(isSignedBy("t=1800000000,v1=" + hex("{}", kTime, Secret("")), "{}", Secret(""), {kTime * 1000}));
}

TEST(Signature, OneOfSeveralIsEnough) {
  const std::string right = hex("{}");
  const std::string wrong(64, 'a');
  EXPECT_TRUE(isSigned("t=1800000000,v1=" + wrong + ",v1=" + right));
  EXPECT_TRUE(isSigned("t=1800000000,v1=" + right + ",v1=" + wrong + ",v0=x"));
  EXPECT_TRUE(isSigned("v1=" + right + ",t=1800000000"));
  EXPECT_FALSE(isSigned("t=1800000000,v0=" + right));
  EXPECT_FALSE(isSigned("t=1800000000,v1=" + wrong + ",v1=" + wrong));
}

TEST(Signature, HoldsForFiveMinutesBothWays) {
  const std::string header = "t=1800000000,v1=" + hex("{}");
  EXPECT_TRUE(isSigned(header, "{}", (kTime + 300) * 1000));
  EXPECT_FALSE(isSigned(header, "{}", (kTime + 300) * 1000 + 1));
  EXPECT_FALSE(isSigned(header, "{}", (kTime + 301) * 1000));
  EXPECT_TRUE(isSigned(header, "{}", (kTime - 300) * 1000));
  EXPECT_FALSE(isSigned(header, "{}", (kTime - 301) * 1000));
  // A clock that is a month off.
  EXPECT_FALSE(isSigned(header, "{}", (kTime + 30 * 86'400) * 1000));
  EXPECT_FALSE(isSigned(header, "{}", 0));
}

TEST(Signature, MalformedHeadersAreNoSignature) {
  const std::string v1 = "v1=" + hex("{}");
  for (const std::string& header :
       {std::string(), std::string(","), std::string("t"), std::string("t="), std::string("t=1800000000"), v1,
        "t=," + v1, "t=x," + v1, "t=1800000000x," + v1, "t=-1800000000," + v1, "t= 1800000000," + v1,
        "t=1800000000,t=1800000000," + v1, "t=99999999999999999999," + v1, "t=1800000000," + v1 + ",",
        std::string("t=1800000000,v1="), "t=1800000000,v1=" + hex("{}").substr(1), "t=1800000000;" + v1,
        "t=1800000000," + v1 + "," + std::string(5000, 'x') + "=1"}) {
    EXPECT_FALSE(isSigned(header)) << header;
  }
}

}  // namespace
}  // namespace mb::billing
