#include "mail/templates.h"

#include <gtest/gtest.h>

namespace mb::mail {
namespace {

constexpr Timestamp kNow{1'800'000'000'000};

TemplatedMail mail(MailTemplate kind) {
  TemplatedMail out;
  out.kind = kind;
  out.to = "ada@example.com";
  out.brand = {"Shop", "emerald"};
  out.link = "https://api.example.com/x?token=abc&y=1";
  return out;
}

TEST(Templates, EveryMailSaysWhoseItIsAndHoldsItsLink) {
  for (const MailTemplate kind :
       {MailTemplate::verifyAddress, MailTemplate::resetPassword, MailTemplate::projectInvite,
        MailTemplate::membershipGranted, MailTemplate::addressTried, MailTemplate::operatorInvite,
        MailTemplate::mfaReset, MailTemplate::passwordChanged, MailTemplate::projectOffered, MailTemplate::limitNear,
        MailTemplate::limitReached, MailTemplate::paymentFailed, MailTemplate::planEnded}) {
    const MailText words = mailTextOf(mail(kind), kNow);
    EXPECT_NE(words.subject.find("Shop"), std::string::npos);
    EXPECT_NE(words.text.find("\nhttps://api.example.com/x?token=abc&y=1\n"), std::string::npos) << words.text;
    EXPECT_NE(words.html.find("href=\"https://api.example.com/x?token=abc&amp;y=1\""), std::string::npos);
    EXPECT_NE(words.html.find("#06775a"), std::string::npos);
    EXPECT_EQ(words.text.find("valid for"), std::string::npos);
    TemplatedMail without = mail(kind);
    without.link.clear();
    EXPECT_EQ(mailTextOf(without, kNow).html.find("<a "), std::string::npos);
  }
}

TEST(Templates, ExternalTextIsEscaped) {
  TemplatedMail invite = mail(MailTemplate::projectInvite);
  invite.brand = {"<b>\"R&D\"</b>", "#fff\"><script>"};
  invite.inviter = "<i>eve</i>";
  invite.role = "Editor'";
  invite.link = "https://api.example.com/\"><script>alert(1)</script>";
  const MailText words = mailTextOf(invite, kNow);
  for (const char* never : {"<b>", "<i>", "<script>", "\"><script", "Editor'"}) {
    EXPECT_EQ(words.html.find(never), std::string::npos) << never;
  }
  EXPECT_NE(
      words.html.find("&lt;i&gt;eve&lt;/i&gt; invites you to &lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt; as Editor&#39;."),
      std::string::npos);
  EXPECT_NE(words.text.find("<i>eve</i> invites you to <b>\"R&D\"</b> as Editor'."), std::string::npos);
}

TEST(Templates, ALimitOfAProject) {
  TemplatedMail near = mail(MailTemplate::limitNear);
  near.brand = {"Manybase", ""};
  near.facts = {.plan = "Free", .project = "<b>Shop", .limit = "storage", .use = "820 MiB", .max = "1 GiB"};
  const MailText words = mailTextOf(near, kNow);
  EXPECT_EQ(words.subject, "<b>Shop is close to a limit at Manybase: storage");
  EXPECT_NE(words.text.find("Storage: the project <b>Shop uses 820 MiB of the 1 GiB that the plan Free allows."),
            std::string::npos)
      << words.text;
  EXPECT_NE(words.html.find("the project &lt;b&gt;Shop uses 820 MiB"), std::string::npos);
  EXPECT_EQ(words.html.find("<b>"), std::string::npos);
  near.kind = MailTemplate::limitReached;
  EXPECT_EQ(mailTextOf(near, kNow).subject, "<b>Shop has reached a limit at Manybase: storage");
}

TEST(Templates, ALimitOfAnAccount) {
  TemplatedMail reached = mail(MailTemplate::limitReached);
  reached.facts = {.plan = "Free", .limit = "projects", .use = "3", .max = "3"};
  const MailText words = mailTextOf(reached, kNow);
  EXPECT_EQ(words.subject, "Your account has reached a limit at Shop: projects");
  EXPECT_NE(words.text.find("Projects: your account uses 3 of the 3 that the plan Free allows."), std::string::npos);
  EXPECT_NE(words.text.find("can be turned off in your account"), std::string::npos);
}

TEST(Templates, PlansThatEnd) {
  TemplatedMail ends = mail(MailTemplate::planEnded);
  ends.facts = {.plan = "Pro", .next = "Free", .ends = "2026-01-31"};
  EXPECT_EQ(mailTextOf(ends, kNow).subject, "Your plan at Shop ends on 2026-01-31");
  EXPECT_NE(mailTextOf(ends, kNow)
                .text.find("The plan Pro ends on 2026-01-31. From then on your projects have the "
                           "limits of the plan Free."),
            std::string::npos);
  ends.facts.ends.clear();
  EXPECT_EQ(mailTextOf(ends, kNow).subject, "Your plan at Shop has ended");
  ends.kind = MailTemplate::paymentFailed;
  EXPECT_NE(mailTextOf(ends, kNow).text.find("The payment for the plan Pro failed."), std::string::npos);
}

TEST(Templates, ValidityOfALink) {
  const std::pair<int64_t, const char*> spans[] = {
      {1, "1 minute"},       {60'000, "1 minute"},      {30 * 60'000, "30 minutes"}, {3'600'000, "1 hour"},
      {3'599'000, "1 hour"}, {5 * 60'000, "5 minutes"}, {86'400'000, "24 hours"},    {7 * 86'400'000, "7 days"},
  };
  for (const auto& [ms, text] : spans) {
    TemplatedMail one = mail(MailTemplate::resetPassword);
    one.validUntil = Timestamp{kNow.ms + ms};
    const MailText words = mailTextOf(one, kNow);
    EXPECT_NE(words.text.find(std::string("The link is valid for ") + text + "."), std::string::npos) << words.text;
  }
}

TEST(Templates, AnOfferOfAProjectEndsWithTheOfferNotTheLink) {
  TemplatedMail one = mail(MailTemplate::projectOffered);
  one.inviter = "bob@example.com";
  one.validUntil = Timestamp{kNow.ms + 7 * 86'400'000};
  const MailText words = mailTextOf(one, kNow);
  EXPECT_EQ(words.subject, "Transfer of Shop to you");
  EXPECT_NE(
      words.text.find("bob@example.com offers you the project Shop. If you accept, it moves to your organization"),
      std::string::npos)
      << words.text;
  EXPECT_NE(words.text.find("The offer is valid for 7 days."), std::string::npos) << words.text;
}

}  // namespace
}  // namespace mb::mail
