#include "identity/id_token.h"

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "document/json.h"

namespace mb::identity {
namespace {

constexpr int64_t kNow = 1'800'000'000;

class IdTokenTest : public ::testing::Test {
 protected:
  IdTokenTest() { initCrypto(); }

  std::string claims(const std::string& more = "") const {
    return R"({"iss":"https://issuer.example","aud":"shop","sub":"ann","nonce":"n-1","iat":1800000000,"exp":1800000300)" +
           more + "}";
  }
  std::string signedToken(const std::string& payload,
                          const std::string& header = R"({"alg":"ES256","kid":"one"})") const {
    const std::string text = toBase64Url(header) + "." + toBase64Url(payload);
    return text + "." + toBase64Url(key_.sign(text));
  }
  std::string jwks(const std::string& more = "") const {
    const auto [x, y] = key_.publicPoint();
    return R"({"keys":[{"kty":"EC","crv":"P-256","kid":"one","x":")" + toBase64Url(x) + R"(","y":")" + toBase64Url(y) +
           "\"" + more + "}]}";
  }
  bool accepts(const std::string& token, int64_t now = kNow) const {
    const auto parsed = IdToken::parse(token);
    if (!parsed) return false;
    const KeySet keys = KeySet::parse(*doc::parseJson(jwks()));
    const PublicKey* key = keys.find(parsed->keyId, parsed->algorithm);
    return key != nullptr && checkIdToken(*parsed, *key, {"https://issuer.example", "shop", "n-1", {now * 1000}});
  }

  const SigningKey key_ = SigningKey::generate();
};

TEST_F(IdTokenTest, TakesWhatTheIssuerSigned) {
  EXPECT_TRUE(accepts(signedToken(claims())));
  EXPECT_TRUE(accepts(signedToken(claims(R"(,"azp":"shop","nbf":1800000000,"other":{"a":[1]})"))));
  EXPECT_TRUE(accepts(signedToken(claims(), R"({"alg":"ES256"})")));
}

TEST_F(IdTokenTest, AMinuteOfSkew) {
  const std::string token = signedToken(claims());
  EXPECT_TRUE(accepts(token, kNow + 359));
  EXPECT_FALSE(accepts(token, kNow + 360));
  EXPECT_TRUE(accepts(token, kNow - 60));
  EXPECT_FALSE(accepts(token, kNow - 61));
}

TEST_F(IdTokenTest, RefusesWhatIsNotInForm) {
  const std::string good = signedToken(claims());
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), good + ".", good.substr(0, good.rfind('.')), good + "=",
        " " + good, "x" + good, std::string(40'000, 'a'), signedToken("[]"), signedToken(claims(R"(,"iss":"x")")),
        signedToken(claims(), R"({"alg":"none"})"), signedToken(claims(), R"({"alg":"HS256","kid":"one"})"),
        signedToken(claims(), R"({"alg":"ES256","kid":"two"})"),
        signedToken(claims(), R"({"alg":"ES256","kid":"one","crit":["b64"]})")}) {
    EXPECT_FALSE(accepts(text)) << text.substr(0, 80);
  }
}

TEST_F(IdTokenTest, KeysThatAreNotForSignaturesAreLeftOut) {
  for (const char* more : {R"(,"use":"enc")", R"(,"alg":"ES384")", R"(,"crv":"P-521","y":"AA")"}) {
    const auto document = doc::parseJson(jwks(more));
    if (document) EXPECT_EQ(KeySet::parse(*document).size(), 0U) << more;
  }
  EXPECT_EQ(KeySet::parse(*doc::parseJson(jwks(R"(,"use":"sig","alg":"ES256")"))).size(), 1U);
  for (const char* text :
       {"{}", R"({"keys":7})", R"({"keys":[1,null,{},{"kty":"RSA"},{"kty":"oct","k":"AAAA"}]})",
        R"({"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]})",
        R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]})", R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]})"}) {
    EXPECT_EQ(KeySet::parse(*doc::parseJson(text)).size(), 0U) << text;
  }
}

}  // namespace
}  // namespace mb::identity
