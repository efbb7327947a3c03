#include "identity/oauth_state.h"

#include <gtest/gtest.h>

#include <set>

#include "document/json.h"

namespace mb::identity {
namespace {

class OauthStateTest : public ::testing::Test {
 protected:
  OauthStateTest() { initCrypto(); }
  OauthState state(std::string id = "a-random-id") const {
    return {std::move(id),          "proj_shop",    "oidc-home", "https://app.example.com/back?x=1",
            browserDigest(cookie_), kNow + kStateMs};
  }
  bool opens(std::string_view text, std::string cookie) const {
    const std::vector<std::string> cookies{browserCookie(), std::move(cookie)};
    return states_.open(text, cookies).has_value();
  }

  static constexpr int64_t kNow = 1'800'000'000'000;
  ManualClock clock_{kNow};
  const MasterSecret master_{Secret(std::string(32, 'k'))};
  const OauthStates states_{master_, clock_};
  const std::string cookie_ = browserCookie();
};

TEST_F(OauthStateTest, ComesBackAsItWent) {
  const auto back = states_.open(states_.sign(state()), std::vector{cookie_});
  ASSERT_TRUE(back);
  EXPECT_EQ(doc::toJson(doc::encode(*back)), doc::toJson(doc::encode(state())));
}

TEST_F(OauthStateTest, IsOfOneBrowser) {
  const std::string text = states_.sign(state());
  EXPECT_TRUE(opens(text, cookie_));
  for (const std::string& other : {browserCookie(), std::string(), cookie_ + "A", cookie_.substr(1),
                                   std::string(43, 'A'), browserDigest(cookie_), std::string(1 << 20, 'A')}) {
    EXPECT_FALSE(opens(text, other)) << other.substr(0, 60);
  }
}

TEST_F(OauthStateTest, LastsTenMinutes) {
  const std::string text = states_.sign(state());
  clock_.advance(10 * 60'000 - 1);
  EXPECT_TRUE(opens(text, cookie_));
  clock_.advance(1);
  EXPECT_FALSE(opens(text, cookie_));
}

// Every part is signed: another provider, project, redirect or browser is another state.
TEST_F(OauthStateTest, NothingInItCanBeChanged) {
  const std::string text = states_.sign(state());
  const std::string signature = text.substr(text.find('.'));
  void (*const changes[])(OauthState&) = {
      [](OauthState& s) { s.id += "x"; },
      [](OauthState& s) { s.project = "proj_other"; },
      [](OauthState& s) { s.project.clear(); },
      [](OauthState& s) { s.provider = "github"; },
      [](OauthState& s) { s.redirect = "https://evil.example/"; },
      [](OauthState& s) { s.browser = browserDigest("another"); },
      [](OauthState& s) { s.expiresMs += 1; },
  };
  for (const auto change : changes) {
    OauthState changed = state();
    change(changed);
    EXPECT_FALSE(opens(toBase64Url(doc::toJson(doc::encode(changed))) + signature, cookie_));
  }
}

TEST_F(OauthStateTest, IsOfOneSecret) {
  const MasterSecret other{Secret(std::string(32, 'j'))};
  EXPECT_FALSE(opens(OauthStates(other, clock_).sign(state()), cookie_));
}

TEST_F(OauthStateTest, OtherTextsAreRefused) {
  const std::string text = states_.sign(state());
  std::string flipped = text;
  flipped[5] = flipped[5] == 'A' ? 'B' : 'A';
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), text + ".", text + "x", "." + text, flipped,
        text.substr(0, text.find('.')), text.substr(0, text.find('.') + 1), text.substr(text.find('.')),
        text + std::string(1, '\0'), text.substr(0, text.find('.') + 1) + states_.verifierOf(state()),
        text.substr(0, text.find('.') + 1) + states_.nonceOf(state()), std::string(9 << 10, 'a') + ".b"}) {
    EXPECT_FALSE(opens(bad, cookie_)) << bad.substr(0, 80);
  }
}

TEST_F(OauthStateTest, VerifierAndNonceAreSecretsOfTheId) {
  const OauthState one = state("one");
  const OauthState two = state("two");
  const std::set<std::string> all = {states_.verifierOf(one), states_.nonceOf(one), states_.verifierOf(two),
                                     states_.nonceOf(two)};
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(states_.verifierOf(one), states_.verifierOf(state("one")));
  const MasterSecret other{Secret(std::string(32, 'j'))};
  EXPECT_NE(OauthStates(other, clock_).verifierOf(one), states_.verifierOf(one));
  // The state that the browser sees does not contain them; a verifier has 43 to 128 characters (RFC 7636, 4.1).
  const std::string text = states_.sign(one);
  for (const std::string& secret : {states_.verifierOf(one), states_.nonceOf(one)}) {
    EXPECT_FALSE(text.contains(secret));
    EXPECT_GE(secret.size(), 43U);
  }
}

TEST_F(OauthStateTest, ACookieIsNew) {
  EXPECT_NE(browserCookie(), browserCookie());
  EXPECT_EQ(fromBase64Url(browserCookie())->size(), 32U);
}

}  // namespace
}  // namespace mb::identity
