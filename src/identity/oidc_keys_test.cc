#include "identity/oidc_keys.h"

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "document/json.h"
#include "identity/id_token.h"

namespace mb::identity {
namespace {

class OidcKeysTest : public ::testing::Test {
 protected:
  OidcKeysTest() { initCrypto(); }
  static std::string ecKey(const SigningKey& key, const std::string& name) {
    const auto [x, y] = key.publicPoint();
    return R"({"kty":"EC","crv":"P-256","kid":")" + name + R"(","x":")" + toBase64Url(x) + R"(","y":")" +
           toBase64Url(y) + "\"}";
  }
  static std::string edKey(const std::string& name) {
    return R"({"kty":"OKP","crv":"Ed25519","kid":")" + name + R"(","x":")" + toBase64Url(std::string(32, 'e')) + "\"}";
  }
  static KeySet setOf(const std::string& keys) { return KeySet::parse(*doc::parseJson(R"({"keys":[)" + keys + "]}")); }

  const SigningKey first_ = SigningKey::generate();
  const SigningKey second_ = SigningKey::generate();
};

TEST_F(OidcKeysTest, AKeyIsFoundByItsNameAndAlgorithm) {
  const KeySet keys = setOf(ecKey(first_, "one") + "," + ecKey(second_, "two") + "," + edKey("three"));
  ASSERT_EQ(keys.size(), 3U);
  struct Case {
    const char* name;
    const char* algorithm;
    bool found;
  };
  const Case cases[] = {{"one", "ES256", true},  {"two", "ES256", true},    {"three", "EdDSA", true},
                        {"one", "EdDSA", false}, {"three", "ES256", false}, {"one", "HS256", false},
                        {"one", "none", false},  {"one", "", false},        {"four", "ES256", false},
                        {"", "EdDSA", true},     {"", "ES256", false},      {"", "", false},
                        {"ONE", "ES256", false}};
  for (const auto& [name, algorithm, found] : cases) {
    EXPECT_EQ(keys.find(name, algorithm) != nullptr, found) << name << " " << algorithm;
  }
  EXPECT_NE(keys.find("one", "ES256"), keys.find("two", "ES256"));
}

TEST_F(OidcKeysTest, ALongListIsNotReadToItsEnd) {
  std::string many;
  for (int i = 0; i < 70; ++i) many += ecKey(first_, "key" + std::to_string(i)) + (i < 69 ? "," : "");
  const KeySet keys = setOf(many);
  EXPECT_EQ(keys.size(), 64U);
  EXPECT_NE(keys.find("key63", "ES256"), nullptr);
  EXPECT_EQ(keys.find("key64", "ES256"), nullptr);
}

// The key determines the algorithm, whatever the token says and the signature would allow.
TEST_F(OidcKeysTest, ATokenOfAnotherAlgorithmIsRefusedByTheKeyItself) {
  const auto key = PublicKey::p256(first_.publicPoint().first, first_.publicPoint().second);
  ASSERT_TRUE(key);
  const std::string payload = R"({"iss":"i","aud":"c","sub":"s","nonce":"n","iat":1800000000,"exp":1800000300})";
  const ExpectedToken expected{"i", "c", "n", {1'800'000'000'000}};
  for (const char* algorithm : {"ES256", "none", "HS256", "RS256", "EdDSA", "es256", ""}) {
    const std::string text = toBase64Url(std::string(R"({"alg":")") + algorithm + "\"}") + "." + toBase64Url(payload);
    const auto token = IdToken::parse(text + "." + toBase64Url(first_.sign(text)));
    ASSERT_TRUE(token);
    EXPECT_EQ(checkIdToken(*token, *key, expected).has_value(), std::string_view(algorithm) == "ES256") << algorithm;
  }
}

}  // namespace
}  // namespace mb::identity
