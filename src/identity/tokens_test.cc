#include "identity/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "document/json.h"

namespace mb::identity {
namespace {

using namespace std::string_view_literals;

constexpr int64_t kNowMs = 1'800'000'000'000;
constexpr std::string_view kIssuer = "https://api.example.com";

struct Parts {
  std::string header;
  std::string payload;
  std::string signature;
};

Parts split(const std::string& token) {
  const size_t first = token.find('.');
  const size_t last = token.rfind('.');
  return {token.substr(0, first), token.substr(first + 1, last - first - 1), token.substr(last + 1)};
}

class TokensTest : public ::testing::Test {
 protected:
  TokensTest() {
    initCrypto();
    SigningKey key = SigningKey::generate();
    pem_ = key.toPem();
    EXPECT_TRUE(tokens_.setKeys(std::move(key), {}));
  }
  std::string endUserToken() const {
    return tokens_.mintEndUser(UserId("user_1"), SessionId("sess_1"), ProjectId("proj_1"), "user",
                               policy::PermissionSet({"data:*:read"}));
  }
  // A token with our key's signature over any claims.
  std::string signedWith(const std::string& claims) const {
    const SigningKey key = *SigningKey::fromPem(pem_);
    std::string token = split(endUserToken()).header + "." + toBase64Url(claims);
    const std::string signature = key.sign(token);
    return token + "." + toBase64Url(signature);
  }
  bool refuses(const std::string& token) const {
    const auto verified = tokens_.verify(token);
    return !verified && verified.error().code() == ErrorCode::unauthenticated;
  }

  ManualClock clock_{kNowMs};
  Tokens tokens_{std::string(kIssuer), clock_};
  std::string pem_;
};

TEST_F(TokensTest, AnEndUsersTokenReadsBack) {
  const auto read = tokens_.verify(endUserToken());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, TokenKind::endUser);
  EXPECT_EQ(read->user.str(), "user_1");
  EXPECT_EQ(read->session.str(), "sess_1");
  EXPECT_EQ(read->project.str(), "proj_1");
  EXPECT_EQ(read->role, "user");
  EXPECT_EQ(read->permissions, std::vector<std::string>{"data:*:read"});
  EXPECT_EQ(read->expiresAt.ms, kNowMs + kAccessTokenSeconds * 1000);
}

// A process that did not sign the token verifies the signature; the one that signed it accepts exactly those bytes.
TEST_F(TokensTest, AnyHolderOfTheKeyVerifies) {
  Tokens other{std::string(kIssuer), clock_};
  ASSERT_TRUE(other.setKeys(*SigningKey::fromPem(pem_), {}));
  const std::string token = endUserToken();
  std::string changed = token;
  changed[token.rfind('.') + 10] = changed[token.rfind('.') + 10] == 'A' ? 'B' : 'A';
  for (const Tokens* tokens : {&tokens_, &other}) {
    EXPECT_TRUE(tokens->verify(token));
    EXPECT_TRUE(tokens->verify(token));
    EXPECT_FALSE(tokens->verify(changed));
  }
  clock_.advance(kAccessTokenSeconds * 1000);
  EXPECT_FALSE(tokens_.verify(token));
}

TEST_F(TokensTest, KindsAreDistinguished) {
  const auto member =
      tokens_.verify(tokens_.mintMember(UserId("user_1"), SessionId("sess_1"), ProjectId("proj_1"), "Owner", {}));
  ASSERT_TRUE(member);
  EXPECT_EQ(member->kind, TokenKind::member);
  const auto platform = tokens_.verify(tokens_.mintControl(UserId("user_1"), SessionId("sess_1")));
  ASSERT_TRUE(platform);
  EXPECT_EQ(platform->kind, TokenKind::platform);
  EXPECT_TRUE(platform->project.empty());
}

TEST_F(TokensTest, CarriesTheClaimsOfTheContract) {
  const auto claims = doc::parseJson(*fromBase64Url(split(endUserToken()).payload));
  ASSERT_TRUE(claims);
  EXPECT_EQ(doc::toJson(*claims),
            R"({"iss":"https://api.example.com","aud":"project","kind":"user","sub":"user_1","sid":"sess_1",)"
            R"("iat":1800000000,"exp":1800000900,"pid":"proj_1","role":"user","perms":["data:*:read"]})");
}

TEST_F(TokensTest, ExpiresToTheSecond) {
  const std::string token = endUserToken();
  clock_.advance((kAccessTokenSeconds - 1) * 1000);
  EXPECT_TRUE(tokens_.verify(token));
  clock_.advance(1000);
  EXPECT_TRUE(refuses(token));
}

TEST_F(TokensTest, RefusesTextsThatAreNoTokens) {
  for (const std::string& text : {std::string(), std::string("."), std::string(".."), std::string("a.b"),
                                  std::string("a.b.c"), std::string(100'000, 'a'), std::string("...."),
                                  std::string("mb_sk_proj_1.secret"), std::string("\0.\0.\0", 5)}) {
    EXPECT_TRUE(refuses(text)) << text.substr(0, 40);
  }
}

TEST_F(TokensTest, ATokenHasOneSpelling) {
  // Verifies signatures itself: it minted no token.
  Tokens other{std::string(kIssuer), clock_};
  ASSERT_TRUE(other.setKeys(*SigningKey::fromPem(pem_), {}));
  const std::string token = endUserToken();
  ASSERT_TRUE(other.verify(token));
  const auto refusedByBoth = [&](const std::string& text) { return refuses(text) && !other.verify(text); };
  const Parts parts = split(token);
  EXPECT_TRUE(refusedByBoth(token + "="));
  EXPECT_TRUE(refusedByBoth(token + "=="));
  EXPECT_TRUE(refusedByBoth(parts.header + "." + parts.payload + "=." + parts.signature));
  for (const char byte : {'\x80', '\xbf', '\xdf', '\xff'}) {
    for (size_t i = 0; i < token.size(); i += 7) {
      std::string changed = token;
      changed[i] = byte;
      EXPECT_TRUE(refusedByBoth(changed)) << i;
    }
    std::string changed = parts.signature;
    std::ranges::replace(changed, '_', byte);
    if (changed != parts.signature) {
      EXPECT_TRUE(refusedByBoth(parts.header + "." + parts.payload + "." + changed));
    }
  }
  // The last character has four unused bits.
  for (const char last : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
    std::string changed = token;
    changed.back() = last;
    if (changed != token) {
      EXPECT_TRUE(refusedByBoth(changed)) << last;
    }
  }
  // The mirrored signature: the order of the group minus s.
  constexpr std::string_view kOrder =
      "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51"sv;
  std::string raw = *fromBase64Url(parts.signature);
  int borrow = 0;
  for (size_t i = 32; i-- > 0;) {
    const int digit = static_cast<unsigned char>(kOrder[i]) - static_cast<unsigned char>(raw[32 + i]) - borrow;
    borrow = digit < 0 ? 1 : 0;
    raw[32 + i] = static_cast<char>(digit & 0xFF);
  }
  EXPECT_TRUE(SigningKey::fromPem(pem_)->verify(parts.header + "." + parts.payload, raw));
  EXPECT_TRUE(refusedByBoth(parts.header + "." + parts.payload + "." + toBase64Url(raw)));
}

TEST_F(TokensTest, RefusesOtherHeaders) {
  const Parts parts = split(endUserToken());
  const std::string header = *fromBase64Url(parts.header);
  const std::string kid = header.substr(header.find("kid"));
  const std::vector<std::string> headers = {
      R"({"alg":"none","typ":"JWT"})",
      R"({"alg":"none","typ":"JWT",")" + kid,
      R"({"alg":"HS256","typ":"JWT",")" + kid,
      R"({"alg":"ES384","typ":"JWT",")" + kid,
      R"({"alg":"es256","typ":"JWT",")" + kid,
      R"({"alg":"ES256","typ":"at+jwt",")" + kid,
      R"({"alg":"ES256","typ":"JWT"})",
      R"({"alg":"ES256","typ":"JWT","jwk":{},")" + kid,
      R"({"alg":"ES256","typ":"JWT","kid":"../../dev/null"})",
  };
  for (const std::string& changed : headers) {
    EXPECT_TRUE(refuses(toBase64Url(changed) + "." + parts.payload + "." + parts.signature)) << changed;
    EXPECT_TRUE(refuses(toBase64Url(changed) + "." + parts.payload + ".")) << changed;
  }
}

// The public key used as a shared secret (algorithm confusion).
TEST_F(TokensTest, RefusesAnHmacUnderThePublicKey) {
  const Parts parts = split(endUserToken());
  const auto [x, y] = SigningKey::fromPem(pem_)->publicPoint();
  for (const std::string& header : {split(endUserToken()).header, toBase64Url(R"({"alg":"HS256","typ":"JWT"})")}) {
    const std::string text = header + "." + parts.payload;
    const Digest mac = hmacSha256(x + y, text);
    EXPECT_TRUE(refuses(text + "." + toBase64Url({reinterpret_cast<const char*>(mac.data()), mac.size()})));
  }
}

TEST_F(TokensTest, RefusesChangedPartsAndForeignKeys) {
  const Parts parts = split(endUserToken());
  std::string claims = *fromBase64Url(parts.payload);
  claims.replace(claims.find("user_1"), 6, "user_2");
  EXPECT_TRUE(refuses(parts.header + "." + toBase64Url(claims) + "." + parts.signature));
  EXPECT_TRUE(refuses(parts.header + "." + parts.payload + "." + parts.signature.substr(1)));
  EXPECT_TRUE(refuses(parts.header + "." + parts.payload + "." + parts.signature + "AA"));
  EXPECT_TRUE(refuses(parts.header + "." + parts.payload + "." + toBase64Url(std::string(64, '\0'))));
  EXPECT_TRUE(refuses(endUserToken() + "."));

  Tokens foreign(std::string(kIssuer), clock_);
  ASSERT_TRUE(foreign.setKeys(SigningKey::generate(), {}));
  EXPECT_TRUE(refuses(foreign.mintControl(UserId("user_1"), SessionId("sess_1"))));
}

TEST_F(TokensTest, RefusesClaimsOfTheWrongShapeEvenWhenSigned) {
  const std::string good =
      R"({"iss":"https://api.example.com","aud":"project","kind":"user","sub":"u","sid":"s","iat":1800000000,)"
      R"("exp":1800000900,"pid":"p","role":"user","perms":[]})";
  ASSERT_TRUE(tokens_.verify(signedWith(good)));
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("iss":"https://api.example.com")", R"("iss":"https://evil.example.com")"},
      {R"("iss":"https://api.example.com")", R"("iss":["https://api.example.com"])"},
      {R"("aud":"project")", R"("aud":"control")"},
      {R"("aud":"project")", R"("aud":["project","control"])"},
      {R"("aud":"project",)", ""},
      {R"("kind":"user")", R"("kind":"platform")"},
      {R"("kind":"user")", R"("kind":"root")"},
      {R"("sub":"u")", R"("sub":"")"},
      {R"("sub":"u")", R"("sub":{"$ne":""})"},
      {R"("sid":"s")", R"("sid":null)"},
      {R"("exp":1800000900)", R"("exp":"1800000900")"},
      {R"("exp":1800000900)", R"("exp":1799999999)"},
      {R"("exp":1800000900)", R"("exp":1e30)"},
      {R"("iat":1800000000)", R"("iat":1800000500)"},
      {R"("pid":"p",)", ""},
      {R"("pid":"p")", R"("pid":"")"},
      {R"("perms":[])", R"("perms":"*")"},
      {R"("perms":[])", R"("perms":[],"extra":1)"},
      {R"("perms":[])", R"("perms":[],"sub":"other")"},
      {good, "[]"},
      {good, "{"},
      {good, ""},
  };
  for (const auto& [from, to] : changes) {
    std::string claims = good;
    claims.replace(claims.find(from), from.size(), to);
    EXPECT_TRUE(refuses(signedWith(claims))) << claims;
  }
}

TEST_F(TokensTest, RetiredKeysVerifyUntilTheirTime) {
  const auto published = [&] { return tokens_.jwks().view().find("keys")->asDocument().count(); };
  const std::string old = endUserToken();
  const SigningKey first = *SigningKey::fromPem(pem_);
  const auto [x, y] = first.publicPoint();
  ASSERT_TRUE(tokens_.setKeys(SigningKey::generate(), {{first.keyId(), x, y, {kNowMs + 5000}}}));
  EXPECT_TRUE(tokens_.verify(old));
  EXPECT_NE(split(old).header, split(endUserToken()).header);
  EXPECT_TRUE(tokens_.verify(endUserToken()));
  EXPECT_EQ(published(), 2U);
  clock_.advance(5000);
  EXPECT_TRUE(refuses(old));
  EXPECT_EQ(published(), 1U);
  EXPECT_EQ(tokens_.drops(), 0U);
}

TEST_F(TokensTest, AKeyThatGoesBeforeItsTimeIsCounted) {
  const std::string old = endUserToken();
  ASSERT_TRUE(tokens_.setKeys(SigningKey::generate(), {}));
  EXPECT_TRUE(refuses(old));
  EXPECT_EQ(tokens_.drops(), 1U);
  EXPECT_FALSE(tokens_.setKeys(SigningKey::generate(), {{"kid", "short", "point", {kNowMs + 5000}}}));
}

TEST_F(TokensTest, PublishesPublicPartsOnly) {
  const doc::Document jwks = tokens_.jwks();
  const doc::DocumentView key = jwks.view().find("keys")->asDocument().find("0")->asDocument();
  EXPECT_EQ(key.stringOr("kty"), "EC");
  EXPECT_EQ(key.stringOr("crv"), "P-256");
  EXPECT_EQ(key.stringOr("alg"), "ES256");
  EXPECT_EQ(key.stringOr("use"), "sig");
  EXPECT_EQ(fromBase64Url(key.stringOr("x"))->size(), 32U);
  EXPECT_EQ(fromBase64Url(key.stringOr("y"))->size(), 32U);
  EXPECT_FALSE(key.find("d"));
}

}  // namespace
}  // namespace mb::identity
