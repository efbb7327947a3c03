#include "identity/one_time_tokens.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class OneTimeTokensTest : public ::testing::Test {
 protected:
  OneTimeTokensTest() {
    initCrypto();
    ann_ = person("ann@example.com");
  }
  UserRecord person(const std::string& email) {
    UserRecord user;
    user.id = ids_.next<UserTag>();
    user.email = user.emailKey = email;
    return user;
  }
  static bool good(const NewToken& token, const UserRecord& user, Timestamp now) {
    return checkToken(doc::encode(token.record), token.text, user, now).has_value();
  }
  static bool good(const NewToken& token, std::string_view text, const UserRecord& user) {
    return checkToken(doc::encode(token.record), text, user, kNow).has_value();
  }

  static constexpr Timestamp kNow{1'800'000'000'000};
  ManualClock clock_{kNow.ms};
  IdGenerator ids_{clock_};
  UserRecord ann_;
};

TEST_F(OneTimeTokensTest, LivesAsLongAsItsPurposeSays) {
  const std::pair<LinkPurpose, int64_t> lives[] = {{LinkPurpose::verifyEmail, 24LL * 3600 * 1000},
                                                   {LinkPurpose::resetPassword, 3600LL * 1000}};
  for (const auto& [purpose, life] : lives) {
    const NewToken token = newToken(purpose, ann_, kNow);
    EXPECT_TRUE(good(token, ann_, kNow));
    EXPECT_TRUE(good(token, ann_, {kNow.ms + life - 1}));
    EXPECT_FALSE(good(token, ann_, {kNow.ms + life}));
  }
}

TEST_F(OneTimeTokensTest, OnlyItsHashIsKept) {
  const NewToken token = newToken(LinkPurpose::resetPassword, ann_, kNow);
  const std::string secret = token.text.substr(token.text.find('.') + 1);
  EXPECT_EQ(fromBase64Url(secret)->size(), 32U);
  EXPECT_FALSE(doc::toJson(doc::encode(token.record)).contains(secret));
  EXPECT_NE(newToken(LinkPurpose::resetPassword, ann_, kNow).text, token.text);
}

TEST_F(OneTimeTokensTest, HasAPlaceForEachUserAndPurpose) {
  const Realm platform = Realm::platform();
  const auto place = [&](LinkPurpose purpose, const UserRecord& user) {
    return tokenTarget(platform, purpose, user.id).id;
  };
  const UserRecord bob = person("bob@example.com");
  EXPECT_NE(place(LinkPurpose::verifyEmail, ann_), place(LinkPurpose::resetPassword, ann_));
  EXPECT_NE(place(LinkPurpose::resetPassword, bob), place(LinkPurpose::resetPassword, ann_));
  EXPECT_EQ(place(LinkPurpose::resetPassword, ann_), newToken(LinkPurpose::resetPassword, ann_, kNow).record.id);
}

TEST_F(OneTimeTokensTest, OtherTextsAreRefused) {
  const NewToken token = newToken(LinkPurpose::resetPassword, ann_, kNow);
  const std::string& text = token.text;
  EXPECT_TRUE(good(token, text, ann_));
  for (const std::string& bad : {std::string(), std::string("."), text + "=", text + " ", " " + text, text.substr(1),
                                 text.substr(0, text.size() - 1), ann_.id.str() + ".", text.substr(text.find('.')),
                                 newToken(LinkPurpose::resetPassword, ann_, kNow).text, text + std::string(1, '\0')}) {
    EXPECT_FALSE(good(token, bad, ann_)) << bad;
  }
}

struct Change {
  const char* what;
  void (*apply)(UserRecord&);
};

TEST_F(OneTimeTokensTest, EndsWithTheAddressOrTheUser) {
  const Change changes[] = {{"another address", [](UserRecord& user) { user.emailKey = "new@example.com"; }},
                            {"blocked", [](UserRecord& user) { user.status = kStatusBlocked; }},
                            {"inactive", [](UserRecord& user) { user.status = kStatusInactive; }}};
  const NewToken token = newToken(LinkPurpose::verifyEmail, ann_, kNow);
  for (const auto& [what, apply] : changes) {
    UserRecord changed = ann_;
    apply(changed);
    EXPECT_FALSE(good(token, changed, kNow)) << what;
  }
}

// Every reason has the same message.
TEST_F(OneTimeTokensTest, RefusalsAreAlike) {
  const NewToken token = newToken(LinkPurpose::verifyEmail, ann_, kNow);
  const auto gone = checkToken(std::nullopt, token.text, ann_, kNow);
  const auto late = checkToken(doc::encode(token.record), token.text, ann_, {kNow.ms + kVerificationMs});
  const auto wrong = checkToken(doc::encode(token.record), "x", ann_, kNow);
  for (const auto* refusal : {&gone, &late, &wrong}) {
    ASSERT_FALSE(*refusal);
    EXPECT_EQ(errorBody(refusal->error()), errorBody(badToken()));
  }
}

TEST_F(OneTimeTokensTest, NamesItsUser) {
  const std::string id = ann_.id.str();
  const std::pair<std::string, bool> cases[] = {{id + ".x", true},
                                                {id + ".", true},
                                                {id + ".a.b", true},
                                                {id, false},
                                                {"." + id, false},
                                                {"user_.x", false},
                                                {"sess_" + id.substr(5) + ".x", false},
                                                {id + "/../x.y", false},
                                                {id + "." + std::string(200, 'x'), false},
                                                {std::string(1 << 20, '.'), false},
                                                {"", false}};
  for (const auto& [text, names] : cases) {
    const auto user = userOfToken(text);
    ASSERT_EQ(user.has_value(), names) << text.substr(0, 100);
    if (names) EXPECT_EQ(*user, ann_.id);
  }
}

}  // namespace
}  // namespace mb::identity
