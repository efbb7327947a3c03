#include "mail/mail.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/log.h"
#include "base/testing.h"
#include "mail/templated_mail.h"
#include "outbound/client.h"
#include "outbound/smtp_testing.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::mail {
namespace {

using namespace std::chrono_literals;
using outbound::testing::Certificate;
using outbound::testing::MailCatcher;

class MailTest : public ::testing::Test {
 protected:
  MailTest() {
    initCrypto();
    configureLog(LogLevel::off, LogFormat::text);
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-mail-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    cores_.start();
  }
  ~MailTest() override {
    queue_.stop(20s);
    client_.stop();
    if (mailer_) mailer_->stop();
    cores_.stop();
    cores_.join();
    std::filesystem::remove_all(folder_);
  }

  void open(std::optional<std::string> smtpUrl = std::nullopt) {
    MailSettings settings;
    if (smtpUrl) settings.smtp = *outbound::parseSmtpUrl(*smtpUrl);
    mailer_ = std::make_unique<Mailer>(MailerDeps{queue_, client_, clock_, "https://api.example.com:8443/x", outbox()},
                                       settings);
    queue_.start();
  }
  std::filesystem::path outbox() const { return folder_ / "outbox"; }
  static TemplatedMail mail(std::string to = "ada@example.com") {
    TemplatedMail out;
    out.kind = MailTemplate::resetPassword;
    out.to = std::move(to);
    out.brand = {"Shöp", "teal"};
    out.link = "https://api.example.com/reset-password?token=s3cret";
    return out;
  }
  std::string commit(const TemplatedMail& mail) {
    auto job = mailer_->insertOf(mail, 2);
    EXPECT_TRUE(job) << job.error().message();
    const std::string id = job->id();
    store::Write write({.deadline = std::chrono::steady_clock::now() + 10s, .actor = {}, .bumpEpochs = {}});
    write.insert(*std::move(job));
    EXPECT_TRUE(store::testing::runOn(cores_, 0, store_.write(std::move(write), nullptr)));
    mailer_->wake(id);
    return id;
  }
  std::vector<doc::Document> jobs() const { return store_.all({store::kControlProject, jobs::kJobs, 0}); }
  std::vector<std::filesystem::path> kept() const {
    std::vector<std::filesystem::path> out;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(outbox(), none)) out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
  }

  const Certificate certificate_{"DNS:localhost"};
  std::filesystem::path folder_;
  ManualClock clock_{1'800'000'000'000};
  IdGenerator ids_{clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  Cores cores_{2};
  store::testing::MemoryStore store_{jobs::systemCollections()};
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  outbound::Client client_{{.extraCa = certificate_.pem()}};
  std::unique_ptr<Mailer> mailer_;
};

TEST_F(MailTest, WithoutAServerMailsStayInTheOutbox) {
  open();
  EXPECT_FALSE(mailer_->delivers());
  const std::string id = commit(mail());
  ASSERT_TRUE(until([&] { return jobs().empty(); }));
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_EQ(kept()[0].filename(), "20270115T080000000-" + id + ".eml");
  struct stat found;
  ASSERT_EQ(::stat(kept()[0].c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(outbox().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  std::ifstream file(kept()[0]);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("To: ada@example.com\r\n"), std::string::npos);
  EXPECT_NE(text.find("<no-reply@api.example.com>\r\n"), std::string::npos);
  EXPECT_NE(text.find("https://api.example.com/reset-password?token=3Ds3cret"), std::string::npos);
}

TEST_F(MailTest, TheOutboxKeepsTheNewest) {
  open();
  for (int i = 0; i < 203; ++i) {
    clock_.advance(1);
    commit(mail());
  }
  ASSERT_TRUE(until([&] { return jobs().empty(); }));
  ASSERT_EQ(kept().size(), 200u);
  EXPECT_TRUE(kept()[0].filename().string().starts_with("20270115T080000004-"));
}

TEST_F(MailTest, TheStoredJobShowsNothing) {
  open("smtp://127.0.0.1:1");
  commit(mail());
  ASSERT_FALSE(jobs().empty());
  for (const char* never : {"s3cret", "ada@example.com", "api.example.com"}) {
    EXPECT_EQ(jobs()[0].bytes().find(never), std::string::npos) << never;
  }
}

TEST_F(MailTest, DeliversBySmtp) {
  const MailCatcher catcher({.startTls = true, .auth = true}, &certificate_);
  open(fmt::format("smtp://me:pass%20word@localhost:{}", catcher.port()));
  EXPECT_TRUE(mailer_->delivers());
  const std::string id = commit(mail());
  ASSERT_TRUE(until([&] { return jobs().empty(); }));
  ASSERT_EQ(catcher.received().size(), 1u);
  const auto mail = catcher.received()[0];
  EXPECT_EQ(mail.from, "no-reply@api.example.com");
  EXPECT_EQ(mail.to, std::vector<std::string>{"ada@example.com"});
  EXPECT_TRUE(mail.encrypted);
  EXPECT_EQ(mail.login, std::string("me\0pass word", 12));
  EXPECT_NE(mail.data.find("Message-ID: <" + id + "@api.example.com>"), std::string::npos);
  EXPECT_TRUE(kept().empty());
}

TEST_F(MailTest, ARejectedAddressIsDeadLetteredAtOnce) {
  const MailCatcher no({.rcptReply = "550 unknown"});
  open(fmt::format("smtp://127.0.0.1:{}", no.port()));
  commit(mail());
  ASSERT_TRUE(until([&] { return queue_.stats().at(0).dead == 1; }));
  EXPECT_EQ(no.connections(), 1u);
}

TEST_F(MailTest, RetriesAfterATemporaryRejection) {
  const MailCatcher later({.rcptReply = "451 later"});
  open(fmt::format("smtp://127.0.0.1:{}", later.port()));
  commit(mail());
  ASSERT_TRUE(until([&] { return queue_.stats().at(0).failed == 1; }));
  clock_.advance(10'000);
  queue_.wake();
  ASSERT_TRUE(until([&] { return queue_.stats().at(0).failed == 2; }));
  EXPECT_EQ(queue_.stats().at(0).dead, 0u);
  EXPECT_EQ(jobs().size(), 1u);
}

TEST_F(MailTest, AMailWithAnExpiredLinkIsNotSent) {
  open();
  TemplatedMail late = mail();
  late.validUntil = Timestamp{clock_.now().ms};
  commit(late);
  ASSERT_TRUE(until([&] { return jobs().empty(); }));
  EXPECT_TRUE(kept().empty());
}

TEST_F(MailTest, RefusesFieldsThatAMailCannotContain) {
  open();
  const auto refused = [&](const std::function<void(TemplatedMail&)>& change) {
    TemplatedMail one = mail();
    change(one);
    return !mailer_->insertOf(one, 2);
  };
  EXPECT_TRUE(refused([](TemplatedMail& l) { l.to = "nobody"; }));
  EXPECT_TRUE(refused([](TemplatedMail& l) { l.to = "a@b\r\nBcc: c@d"; }));
  EXPECT_TRUE(refused([](TemplatedMail& l) { l.brand.name = "a\nb"; }));
  EXPECT_TRUE(refused([](TemplatedMail& l) { l.inviter = "a\rb"; }));
  EXPECT_TRUE(refused([](TemplatedMail& l) { l.role = std::string(500, 'x'); }));
  for (const char* link : {"javascript:alert(1)", "/reset", "https://a b", "https://x\r\ny", "https://\xC3\xA9"}) {
    EXPECT_TRUE(refused([&](TemplatedMail& l) { l.link = link; })) << link;
  }
}

TEST(TemplatedMail, SurvivesTheStore) {
  TemplatedMail mail;
  mail.kind = MailTemplate::operatorInvite;
  mail.to = "ada@example.com";
  mail.brand = {"Shop", "rose"};
  mail.link = "https://x.example/";
  mail.inviter = "bob@example.com";
  mail.role = "Owner";
  mail.validUntil = Timestamp{5};
  mail.facts = {
      .plan = "Free", .project = "Shop", .limit = "storage", .use = "1", .max = "2", .next = "Pro", .ends = "x"};
  const TemplatedMail back = *templatedMailOf(toDocument(mail));
  EXPECT_EQ(back.facts.plan + back.facts.project + back.facts.limit + back.facts.use + back.facts.max,
            "FreeShopstorage12");
  EXPECT_EQ(back.facts.next + back.facts.ends, "Prox");
  EXPECT_EQ(back.kind, mail.kind);
  EXPECT_EQ(back.to, mail.to);
  EXPECT_EQ(back.brand.name, "Shop");
  EXPECT_EQ(back.brand.colour, "rose");
  EXPECT_EQ(back.link, mail.link);
  EXPECT_EQ(back.inviter, mail.inviter);
  EXPECT_EQ(back.role, mail.role);
  EXPECT_EQ(back.validUntil, mail.validUntil);
  EXPECT_FALSE(templatedMailOf(doc::Document()));
}

TEST(MailSettings, WrongOnesStopTheStart) {
  const auto errors = [](Settings::Environment environment) {
    Settings settings(std::move(environment));
    const MailSettings mail(settings);
    return settings.errors();
  };
  EXPECT_TRUE(errors({}).empty());
  EXPECT_TRUE(errors({{"SERVICE_SMTP_URL", "smtp://u:p@h"}, {"SERVICE_MAIL_FROM", "Shop <a@b.example>"}}).empty());
  const auto wrong = errors({{"SERVICE_SMTP_URL", "http://u:hidden@h"}, {"SERVICE_MAIL_FROM", "Shop"}});
  ASSERT_EQ(wrong.size(), 2u);
  for (const std::string& line : wrong) EXPECT_EQ(line.find("hidden"), std::string::npos) << line;
}

}  // namespace
}  // namespace mb::mail
