#include <future>

#include "outbound/client_fixture.h"
#include "outbound/smtp_testing.h"

namespace mb::outbound {
namespace {

using namespace std::chrono_literals;
using testing::MailCatcher;

class SmtpTest : public ClientFixture {
 protected:
  static MailMessage to(const MailCatcher& catcher) {
    MailMessage message;
    message.server.host = "127.0.0.1";
    message.server.port = catcher.port();
    message.from = "no-reply@shop.example";
    message.to = {"one@example.com"};
    message.data = "Subject: hi\r\n\r\nfirst\r\n.second\r\n..\r\n";
    return message;
  }
  static MailMessage withLogin(MailMessage message) {
    message.server.user = "user";
    message.server.password = Secret("pass word");
    return message;
  }
  std::string mail(MailMessage message) {
    return outcome(store::testing::runOn(cores_, 0, client_->mail(std::move(message))));
  }
  testing::Certificate certificate_{"DNS:localhost,IP:127.0.0.1"};
};

TEST_F(SmtpTest, Delivers) {
  const MailCatcher catcher({});
  open();
  MailMessage message = to(catcher);
  message.to.push_back("two@example.com");
  ASSERT_EQ(mail(message), "sent");
  const auto received = catcher.received().at(0);
  EXPECT_EQ(received.from, "no-reply@shop.example");
  EXPECT_EQ(received.to, message.to);
  EXPECT_EQ(received.data, message.data);
  EXPECT_EQ(received.login, "");
  EXPECT_FALSE(received.encrypted);
}

TEST_F(SmtpTest, EncryptsWhereItIsOffered) {
  const MailCatcher catcher({.startTls = true}, &certificate_);
  open({}, certificate_.pem());
  ASSERT_EQ(mail(to(catcher)), "sent");
  EXPECT_TRUE(catcher.received().at(0).encrypted);
  open();
  EXPECT_EQ(mail(to(catcher)), "failed");  // its certificate is not trusted
  EXPECT_EQ(catcher.received().size(), 1u);
}

TEST_F(SmtpTest, CredentialsTravelEncryptedOrNotAtAll) {
  const MailCatcher plain({.auth = true});
  const MailCatcher secure({.startTls = true, .auth = true}, &certificate_);
  open({}, certificate_.pem());
  EXPECT_EQ(mail(withLogin(to(plain))), "failed");
  EXPECT_TRUE(plain.received().empty());
  ASSERT_EQ(mail(withLogin(to(secure))), "sent");
  EXPECT_EQ(secure.received().at(0).login, std::string("user\0pass word", 14));
  EXPECT_TRUE(secure.received().at(0).encrypted);
}

TEST_F(SmtpTest, ImplicitTls) {
  const MailCatcher catcher({.implicitTls = true, .auth = true}, &certificate_);
  open({}, certificate_.pem());
  MailMessage message = withLogin(to(catcher));
  message.server.tls = SmtpServer::Tls::implicit;
  EXPECT_EQ(mail(message), "sent");
  EXPECT_EQ(catcher.received().size(), 1u);
}

TEST_F(SmtpTest, WhatTheServerSays) {
  open({}, certificate_.pem());
  const auto with = [&](MailCatcher::Options options) {
    options.startTls = options.auth = true;
    const MailCatcher catcher(options, &certificate_);
    const std::string outcome = mail(withLogin(to(catcher)));
    EXPECT_TRUE(catcher.received().empty());
    return outcome;
  };
  EXPECT_EQ(with({.rcptReply = "550 no such user"}), "rejected");
  EXPECT_EQ(with({.mailReply = "553 not this sender"}), "rejected");
  EXPECT_EQ(with({.endReply = "554 spam"}), "rejected");
  EXPECT_EQ(with({.rcptReply = "450 later"}), "failed");
  EXPECT_EQ(with({.endReply = "451 later"}), "failed");
  EXPECT_EQ(with({.authReply = "535 wrong password"}), "failed");
}

TEST_F(SmtpTest, SilenceTimesOutWithoutHoldingUpOthers) {
  const MailCatcher silent({.silentAfterData = true});
  const HttpServer web([](const ReceivedRequest&) { return ok(); });
  open();
  MailMessage message = to(silent);
  message.timeout = 1500ms;
  auto pending = std::async(std::launch::async, [&] { return mail(message); });
  while (silent.connections() == 0) std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(outcome(get(web.url("/"), Trust::deployment)), "200");
  EXPECT_EQ(pending.get(), "timed out");
}

TEST_F(SmtpTest, StopEndsMails) {
  const MailCatcher silent({.silentAfterData = true});
  open();
  auto pending = std::async(std::launch::async, [&] { return mail(to(silent)); });
  while (silent.connections() == 0) std::this_thread::sleep_for(1ms);
  client_->stop();
  EXPECT_EQ(pending.get(), "UNAVAILABLE");
  EXPECT_EQ(mail(to(silent)), "UNAVAILABLE");
}

TEST_F(SmtpTest, ProjectsAreGuarded) {
  const MailCatcher catcher({});
  open();
  MailMessage message = to(catcher);
  message.trust = Trust::guarded;
  EXPECT_EQ(mail(message), "refused");
  message.server.host = "localhost";
  EXPECT_EQ(mail(message), "refused");
  EXPECT_EQ(catcher.connections(), 0u);
  open({"127.0.0.1"});
  EXPECT_EQ(mail(message), "sent");
}

TEST_F(SmtpTest, NothingCanBeSmuggled) {
  const MailCatcher catcher({});
  open();
  const auto wrong = [&](const std::function<void(MailMessage&)>& change) {
    MailMessage message = to(catcher);
    change(message);
    EXPECT_EQ(mail(message), "VALIDATION");
  };
  for (const char* address : {"", "nobody", "a@b\r\nRCPT TO:<c@d>", "a@b>", "<a@b", "a b@c", "a@b\n", "a@\x01"}) {
    wrong([&](MailMessage& m) { m.from = address; });
    wrong([&](MailMessage& m) { m.to = {address}; });
  }
  wrong([](MailMessage& m) { m.to.clear(); });
  wrong([](MailMessage& m) { m.to.assign(51, "a@b.example"); });
  wrong([](MailMessage& m) { m.from = std::string(250, 'a') + "@b.example"; });
  for (const char* data : {"", "no end", "a\nb\r\n", "a\rb\r\n", "a\r\r\n.\r\n", "x\r\n.\n"}) {
    wrong([&](MailMessage& m) { m.data = data; });
  }
  wrong([](MailMessage& m) { m.data = std::string("a\0\r\n", 4); });
  for (const char* host : {"", "a b", "h/x", "h\r\n", "u@h", "h:1"})
    wrong([&](MailMessage& m) { m.server.host = host; });
  wrong([](MailMessage& m) { m.server.port = 0; });
  wrong([](MailMessage& m) { m.server.user = "a\r\nb"; });
  EXPECT_EQ(catcher.connections(), 0u);
}

}  // namespace
}  // namespace mb::outbound
