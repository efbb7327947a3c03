#include "identity/mailed_links.h"

#include <boost/asio/co_spawn.hpp>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

using mail::MailTemplate;

class MailedLinksTest : public IdentityFixture {
 protected:
  MailedLinksTest() { ann_ = *registerIn(shop(), "Ann@example.com"); }

  Result<> requestLink(LinkPurpose purpose, std::string email) {
    return run(identity_.links().mailLink(shop(), purpose, std::move(email)));
  }
  // The token in the newest mail of this kind to the address; "" without one.
  std::string tokenIn(MailTemplate kind, std::string_view address = "Ann@example.com") const {
    std::string token;
    for (const mail::TemplatedMail& templatedMail : box_.to(address)) {
      if (templatedMail.kind == kind) token = mail::testing::MailBox::parameter(templatedMail, "token");
    }
    return token;
  }
  std::string askedReset() {
    EXPECT_TRUE(requestLink(LinkPurpose::resetPassword, "ann@example.com"));
    return tokenIn(MailTemplate::resetPassword);
  }
  std::string verify(const std::string& token, Realm realm) {
    return codeOf(run(identity_.links().verify(std::move(realm), token, caller(), soon())));
  }
  std::string verify(const std::string& token) { return verify(token, shop()); }
  std::string reset(const std::string& token, const std::string& password, Realm realm) {
    return codeOf(run(identity_.links().reset(std::move(realm), {token, password}, caller(), soon())));
  }
  std::string reset(const std::string& token, const std::string& password = "another horse") {
    return reset(token, password, shop());
  }
  static policy::Caller caller() {
    policy::Caller nobody;
    nobody.ip = "203.0.113.5";
    nobody.requestId = "req-7";
    return nobody;
  }
  UserRecord stored(Realm realm, const UserId& id) { return **run(identity_.users().get(std::move(realm), id)); }

  UserRecord ann_;
};

TEST_F(MailedLinksTest, RegistrationMailsALinkThatVerifies) {
  const auto templatedMails = box_.to("Ann@example.com");
  ASSERT_EQ(templatedMails.size(), 1U);
  EXPECT_EQ(templatedMails[0].kind, MailTemplate::verifyAddress);
  EXPECT_EQ(templatedMails[0].brand.name, "Shop");
  EXPECT_TRUE(templatedMails[0].link.starts_with("https://api.example.com/verify-email?token="))
      << templatedMails[0].link;
  EXPECT_TRUE(templatedMails[0].link.ends_with("&project=proj_shop")) << templatedMails[0].link;
  EXPECT_EQ(templatedMails[0].validUntil, Timestamp{kStartMs + kVerificationMs});
  const std::string token = tokenIn(MailTemplate::verifyAddress);
  const auto kept = store_.all({kShop, kOneTimeTokens, 0});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(doc::toJson(kept[0]).find(token.substr(token.find('.') + 1)), std::string::npos);

  EXPECT_FALSE(stored(shop(), ann_.id).emailVerified);
  EXPECT_EQ(verify(token), "");
  EXPECT_TRUE(stored(shop(), ann_.id).emailVerified);
  EXPECT_TRUE(store_.all({kShop, kOneTimeTokens, 0}).empty());
  EXPECT_EQ(auditActions(), std::vector<std::string>{"user.emailVerified"});
  EXPECT_EQ(verify(token), "VALIDATION");
}

TEST_F(MailedLinksTest, LinksOfPlatformUsersSaySo) {
  const auto dev = registerIn(Realm::platform(), "dev@example.com");
  const auto templatedMails = box_.to("dev@example.com");
  ASSERT_EQ(templatedMails.size(), 1U);
  EXPECT_TRUE(templatedMails[0].link.ends_with("&plane=control")) << templatedMails[0].link;
  const std::string token = tokenIn(MailTemplate::verifyAddress, "dev@example.com");
  EXPECT_EQ(verify(token), "VALIDATION");
  EXPECT_EQ(verify(token, Realm::platform()), "");
  EXPECT_TRUE(stored(Realm::platform(), dev->id).emailVerified);
}

TEST_F(MailedLinksTest, ANewerRequestEndsTheOlderToken) {
  const std::string first = tokenIn(MailTemplate::verifyAddress);
  ASSERT_TRUE(requestLink(LinkPurpose::verifyEmail, " ANN@example.com"));
  const std::string second = tokenIn(MailTemplate::verifyAddress);
  ASSERT_NE(first, second);
  EXPECT_EQ(verify(first), "VALIDATION");
  EXPECT_EQ(verify(second), "");
  // The address is verified already.
  const size_t before = box_.mails().size();
  ASSERT_TRUE(requestLink(LinkPurpose::verifyEmail, "ann@example.com"));
  EXPECT_EQ(box_.mails().size(), before);
}

TEST_F(MailedLinksTest, AnUnknownAddressGetsNoMail) {
  const size_t before = box_.mails().size();
  for (const char* email : {"nobody@example.com", "", "not an address", "ann@example.com\n"}) {
    EXPECT_TRUE(requestLink(LinkPurpose::resetPassword, email));
  }
  EXPECT_TRUE(run(identity_.links().mailLink(other(), LinkPurpose::resetPassword, "ann@example.com")));
  EXPECT_LE(box_.mails().size(), before + 1);  // "ann@example.com\n" is trimmed to Ann's
}

TEST_F(MailedLinksTest, AnAddressGetsABoundedNumberOfMails) {
  const size_t before = box_.mails().size();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(requestLink(LinkPurpose::resetPassword, "ann@example.com"));
  EXPECT_EQ(box_.mails().size(), before + kMailsPerAddress);
  clock_.advance(15 * 60'000);
  ASSERT_TRUE(requestLink(LinkPurpose::resetPassword, "ann@example.com"));
  EXPECT_EQ(box_.mails().size(), before + kMailsPerAddress + 1);
}

TEST_F(MailedLinksTest, AResetSetsThePasswordAndEndsAllSessions) {
  auto session = open(shop(), ann_.id);
  const std::string access = identity_.tokens().mintEndUser(ann_.id, session.session.id, shop().id, "user", {});
  ASSERT_TRUE(identify(access));
  const std::string verification = tokenIn(MailTemplate::verifyAddress);
  const std::string token = askedReset();
  EXPECT_EQ(reset(token, "short"), "VALIDATION");
  EXPECT_EQ(reset(token, "ANN@example.com"), "VALIDATION");
  EXPECT_EQ(reset(token), "");
  EXPECT_EQ(codeOf(identify(access)), "UNAUTHENTICATED");
  EXPECT_TRUE(run(identity_.sessions().list(shop(), ann_.id, soon()))->empty());
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com")), "INVALID_CREDENTIALS");
  const auto back = login(shop(), "ann@example.com", "another horse");
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->emailVerified);
  EXPECT_EQ(verify(verification), "VALIDATION");
  EXPECT_EQ(box_.to("Ann@example.com").back().kind, MailTemplate::passwordChanged);
  EXPECT_EQ(reset(token), "VALIDATION");

  const auto opened = run(identity_.sessions().open(shop(), *back, {}, soon()));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(identify(identity_.tokens().mintEndUser(ann_.id, opened->session.id, shop().id, "user", {})));
}

// A sign-in whose password was checked before the reset gets no session after it.
TEST_F(MailedLinksTest, ASignInUnderWayDoesNotOutliveAReset) {
  const auto before = login(shop(), "ann@example.com");
  ASSERT_TRUE(before);
  EXPECT_EQ(reset(askedReset()), "");
  EXPECT_EQ(codeOf(run(identity_.sessions().open(shop(), *before, {}, soon()))), "UNAUTHENTICATED");
}

TEST_F(MailedLinksTest, AResetLetsAnAccountInThatOthersGuessedAt) {
  for (size_t i = 0; i < kMaxFailedLogins; ++i) (void)login(shop(), "ann@example.com", "wrong horse");
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com")), "RATE_LIMITED");
  EXPECT_EQ(reset(askedReset()), "");
  EXPECT_TRUE(login(shop(), "ann@example.com", "another horse"));
}

TEST_F(MailedLinksTest, TokensEndWithTheirTime) {
  const std::string verification = tokenIn(MailTemplate::verifyAddress);
  const std::string token = askedReset();
  clock_.advance(kResetMs);
  EXPECT_EQ(reset(token), "VALIDATION");
  clock_.advance(kVerificationMs - kResetMs - 1);
  EXPECT_EQ(verify(verification), "");
}

TEST_F(MailedLinksTest, TokensEndWithTheirAddress) {
  const std::string verification = tokenIn(MailTemplate::verifyAddress);
  const std::string token = askedReset();
  UserPatch patch;
  patch.email = "new@example.com";
  ASSERT_TRUE(run(identity_.users().patch(shop(), ann_.id, std::move(patch), admin(), soon())));
  EXPECT_EQ(verify(verification), "VALIDATION");
  EXPECT_EQ(reset(token), "VALIDATION");
  EXPECT_FALSE(stored(shop(), ann_.id).emailVerified);
}

TEST_F(MailedLinksTest, AnInactiveUserGetsAndUsesNoLink) {
  const std::string token = askedReset();
  const std::string verification = tokenIn(MailTemplate::verifyAddress);
  ASSERT_TRUE(setStatus(shop(), ann_.id, UserStatus::blocked));
  const size_t before = box_.mails().size();
  EXPECT_TRUE(requestLink(LinkPurpose::resetPassword, "ann@example.com"));
  EXPECT_EQ(box_.mails().size(), before);
  EXPECT_EQ(reset(token), "VALIDATION");
  EXPECT_EQ(verify(verification), "VALIDATION");
  ASSERT_TRUE(setStatus(shop(), ann_.id, UserStatus::active));
  EXPECT_EQ(reset(token), "");
}

TEST_F(MailedLinksTest, TokensAreNoOthers) {
  const std::string token = askedReset();
  EXPECT_EQ(verify(token), "VALIDATION");
  EXPECT_EQ(reset(tokenIn(MailTemplate::verifyAddress)), "VALIDATION");
  EXPECT_EQ(reset(token, "another horse", other()), "VALIDATION");
  EXPECT_EQ(reset(token, "another horse", Realm::platform()), "VALIDATION");
  const auto bob = *registerIn(shop(), "bob@example.com");
  std::string swapped = bob.id.str() + token.substr(token.find('.'));
  for (const std::string& bad :
       {swapped, token + "x", token.substr(0, token.size() - 1), std::string(), std::string("."), "x" + token,
        std::string(100'000, 'a'), token + std::string(1, '\0')}) {
    EXPECT_EQ(reset(bad), "VALIDATION") << bad.substr(0, 100);
  }
  EXPECT_EQ(reset(token), "");
}

TEST_F(MailedLinksTest, OfParallelAttemptsExactlyOneWins) {
  const std::string verification = tokenIn(MailTemplate::verifyAddress);
  std::vector<std::promise<bool>> attempts(20);
  for (size_t i = 0; i < attempts.size(); ++i) {
    asio::co_spawn(cores_.at(static_cast<int>(i % 2)).get_executor(),
                   identity_.links().verify(shop(), verification, caller(), soon()),
                   [&attempts, i](std::exception_ptr, Result<> result) { attempts[i].set_value(result.has_value()); });
  }
  int won = 0;
  for (auto& one : attempts) won += one.get_future().get() ? 1 : 0;
  EXPECT_EQ(won, 1);
}

TEST_F(MailedLinksTest, ATakenAddressThatIsHiddenNotifiesItsOwner) {
  const size_t before = box_.mails().size();
  const auto hidden = registerIn(shop(), "ann@EXAMPLE.com", "some password", TakenEmail::hide);
  ASSERT_TRUE(hidden);
  EXPECT_NE(hidden->id, ann_.id);
  const auto templatedMails = box_.mails();
  ASSERT_EQ(templatedMails.size(), before + 1);
  EXPECT_EQ(templatedMails.back().kind, MailTemplate::addressTried);
  EXPECT_EQ(templatedMails.back().to, "Ann@example.com");
  EXPECT_TRUE(login(shop(), "ann@example.com"));
}

}  // namespace
}  // namespace mb::identity
