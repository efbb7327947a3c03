#include "base/crypto.h"

#include <gtest/gtest.h>

#include <set>

#include "base/es256.h"

namespace mb {
namespace {

using namespace std::string_view_literals;

std::string hexOf(const Digest& digest) {
  return toHex(digest);
}

TEST(Crypto, Sha256KnownAnswers) {
  EXPECT_EQ(hexOf(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexOf(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexOf(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Crypto, HmacSha256KnownAnswers) {  // RFC 4231, cases 1, 2 and 6
  EXPECT_EQ(hexOf(hmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hexOf(hmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hexOf(hmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hexOf(hmacSha256("", "")), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Crypto, Base64Forms) {
  constexpr std::tuple<std::string_view, std::string_view, std::string_view> kForms[] = {
      {"", "", ""},
      {"f", "Zg==", "Zg"},
      {"fo", "Zm8=", "Zm8"},
      {"foo", "Zm9v", "Zm9v"},
      {"\xfb\xff\xfe", "+//+", "-__-"},
  };
  for (const auto& [raw, padded, url] : kForms) {
    EXPECT_EQ(toBase64(raw), padded);
    EXPECT_EQ(toBase64Url(raw), url);
    EXPECT_EQ(fromBase64(padded).value(), raw);
    EXPECT_EQ(fromBase64Url(url).value(), raw);
  }
}

TEST(Crypto, Base64RefusesWhatIsNot) {
  for (const std::string_view text : {"Zg", "Zg=", "Zg===", "Z", "Zm9v!", "Zm 9v", "Zm9v\n", "-__-", "Zh=="}) {
    EXPECT_FALSE(fromBase64(text)) << text;
  }
  for (const std::string_view text : {"Zg==", "Z", "+//+", "Zm9v ", "Zh"}) EXPECT_FALSE(fromBase64Url(text)) << text;
  EXPECT_EQ(fromBase64("?").error().code(), ErrorCode::validation);
}

TEST(Crypto, Base64HasOneSpelling) {
  const std::string url = toBase64Url("\xfb\xff\xfe\x00\xff\xffz");
  const std::string padded = toBase64("\xfb\xff\xfe\x00\xff\xffz");
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t i = 0; i < url.size(); ++i) {
      std::string text = url;
      text[i] = static_cast<char>(byte);
      const auto raw = fromBase64Url(text);
      if (raw) EXPECT_EQ(toBase64Url(*raw), text);
    }
    for (size_t i = 0; i < padded.size(); ++i) {
      std::string text = padded;
      text[i] = static_cast<char>(byte);
      const auto raw = fromBase64(text);
      if (raw) EXPECT_EQ(toBase64(*raw), text);
    }
  }
}

TEST(Crypto, EqualConstantTimeComparesBytes) {
  EXPECT_TRUE(equalConstantTime("", ""));
  EXPECT_TRUE(equalConstantTime("same", "same"));
  EXPECT_FALSE(equalConstantTime("same", "sane"));
  EXPECT_FALSE(equalConstantTime("same", "same "));
  EXPECT_FALSE(equalConstantTime("a\0b"sv, "a\0c"sv));
}

TEST(Crypto, RandomIsNotTwiceTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(randomToken(16));
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(seen.begin()->size(), 22U);
  EXPECT_NE(randomU64(), randomU64());
}

MasterSecret master(char fill) {
  return MasterSecret(Secret(std::string(32, fill)));
}

TEST(Crypto, SubkeysDifferByPurposeAndSecret) {
  const std::string tokens(master('a').subkey("tokens").reveal());
  EXPECT_EQ(tokens.size(), 32U);
  EXPECT_EQ(master('a').subkey("tokens").reveal(), tokens);
  EXPECT_NE(master('a').subkey("seal").reveal(), tokens);
  EXPECT_NE(master('b').subkey("tokens").reveal(), tokens);
}

TEST(Crypto, SealedOpensOnlyUnderItsSecretAndContext) {
  const MasterSecret secret = master('a');
  const std::string sealed = secret.seal("hunter2", "proj_1");
  EXPECT_EQ(secret.unseal(sealed, "proj_1").value().reveal(), "hunter2");
  EXPECT_NE(secret.seal("hunter2", "proj_1"), sealed);
  EXPECT_EQ(sealed.find("hunter2"), std::string::npos);
  EXPECT_FALSE(secret.unseal(sealed, "proj_2"));
  EXPECT_FALSE(master('b').unseal(sealed, "proj_1"));
  EXPECT_EQ(secret.unseal(secret.seal("", ""), "").value().reveal(), "");
}

TEST(Crypto, SealedNoticesEveryChange) {
  const MasterSecret secret = master('a');
  const std::string sealed = secret.seal("hunter2", "proj_1");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(secret.unseal(changed, "proj_1")) << i;
    EXPECT_FALSE(secret.unseal(sealed.substr(0, i), "proj_1")) << i;
  }
  EXPECT_EQ(secret.unseal("", "").error().code(), ErrorCode::internal);
}

TEST(SigningKey, SignsAndVerifies) {
  const SigningKey key = SigningKey::generate();
  const std::string signature = key.sign("header.payload");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(key.verify("header.payload", signature));
  EXPECT_FALSE(key.verify("header.payloae", signature));
  EXPECT_FALSE(SigningKey::generate().verify("header.payload", signature));
}

TEST(SigningKey, RefusesEveryOtherSignature) {
  const SigningKey key = SigningKey::generate();
  const std::string signature = key.sign("data");
  for (size_t i = 0; i < signature.size(); i += 5) {
    std::string changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_FALSE(key.verify("data", changed)) << i;
  }
  EXPECT_FALSE(key.verify("data", ""));
  EXPECT_FALSE(key.verify("data", signature.substr(1)));
  EXPECT_FALSE(key.verify("data", signature + "x"));
  EXPECT_FALSE(key.verify("data", std::string(64, '\0')));  // r = s = 0
  EXPECT_FALSE(key.verify("data", std::string(64, '\xff')));
}

TEST(SigningKey, SignsInLowSForm) {
  const SigningKey key = SigningKey::generate();
  for (int i = 0; i < 64; ++i) {
    const std::string data = "data " + std::to_string(i);
    const std::string signature = key.sign(data);
    EXPECT_TRUE(isLowS(signature));
    EXPECT_TRUE(key.verify(data, signature));
  }
  const std::string r(32, '\1');
  const auto half = fromBase64Url("f____4AAAAB__________95zfVbTi89CedzlYX4xkqg");
  ASSERT_EQ(half->size(), 32U);
  std::string above = *half;
  ++above.back();
  EXPECT_TRUE(isLowS(r + *half));
  EXPECT_FALSE(isLowS(r + above));
  EXPECT_FALSE(isLowS(r + std::string(32, '\xff')));
  EXPECT_FALSE(isLowS(*half));
}

TEST(SigningKey, SurvivesItsPem) {
  const SigningKey key = SigningKey::generate();
  const auto again = SigningKey::fromPem(key.toPem());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->keyId(), key.keyId());
  EXPECT_TRUE(again->verify("data", key.sign("data")));
}

TEST(SigningKey, RefusesOtherPems) {
  constexpr std::string_view kEncrypted =
      "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
      "00000000000000000000000000000000\n\nAAAA\n-----END EC PRIVATE KEY-----\n";
  for (const std::string_view pem :
       {std::string_view(""), std::string_view("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
        kEncrypted}) {
    EXPECT_FALSE(SigningKey::fromPem(pem));
  }
}

TEST(SigningKey, KnownAnswers) {  // RFC 7515, appendix A.3
  const auto key = SigningKey::fromPem(R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
-----END PRIVATE KEY-----
)");
  ASSERT_TRUE(key);
  const auto [x, y] = key->publicPoint();
  EXPECT_EQ(toBase64Url(x), "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU");
  EXPECT_EQ(toBase64Url(y), "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
  EXPECT_EQ(key->keyId(), "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U");
  EXPECT_TRUE(key->verify(
      "eyJhbGciOiJFUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
      fromBase64Url("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q").value()));
}

TEST(SigningKey, RefusesKeysOfOtherKinds) {
  EXPECT_FALSE(SigningKey::fromPem(R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAMgSxnNS13+jsupvmh
dpKW0DUYNgk7Ma7aj3JI7BaAulVdZIaTUj871nPT7f1S59mhZANiAASC+nlrccEP
gR//ios0PTKLtCkfI786+ex4IVOMGrYLLwmnYfIFiVb+ahfDvbKDez3X9OK5ZMc5
Up7L2q5a294Kh4lOhRkHCmZJQgtmLrzPGQUQ+6kDufE97kBg/4Bk3Qw=
-----END PRIVATE KEY-----
)")) << "P-384";
  EXPECT_FALSE(SigningKey::fromPem(R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
-----END PUBLIC KEY-----
)")) << "public half only";
}

}  // namespace
}  // namespace mb
