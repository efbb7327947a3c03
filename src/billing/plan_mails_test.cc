#include "billing/plan_mails.h"

#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

AccountRecord subscribed(std::string status, bool cancelled = false, std::string id = "sub_1") {
  AccountRecord account{.id = "user_1"};
  account.subscription = Subscription{.id = std::move(id),
                                      .status = std::move(status),
                                      .plan = "pro",
                                      .currentPeriodEnd = {*parseRfc3339("2027-02-28T10:00:00Z")},
                                      .cancelAtPeriodEnd = cancelled,
                                      .changedAt = {1},
                                      .appliedAt = {1}};
  return account;
}

TEST(PlanNotice, FollowsFromTheChange) {
  using enum PlanNotice;
  const AccountRecord none{.id = "user_1"};
  const auto notice = [](const AccountRecord& before, const AccountRecord& after) { return noticeOf(&before, after); };
  EXPECT_EQ(noticeOf(nullptr, none), std::nullopt);
  EXPECT_EQ(noticeOf(nullptr, subscribed("active")), std::nullopt);
  EXPECT_EQ(noticeOf(nullptr, subscribed("past_due")), paymentFailed);
  EXPECT_EQ(notice(none, subscribed("incomplete")), std::nullopt);
  EXPECT_EQ(notice(subscribed("active"), subscribed("active")), std::nullopt);
  EXPECT_EQ(notice(subscribed("trialing"), subscribed("active")), std::nullopt);

  EXPECT_EQ(notice(subscribed("active"), subscribed("past_due")), paymentFailed);
  EXPECT_EQ(notice(subscribed("active"), subscribed("unpaid")), paymentFailed);
  EXPECT_EQ(notice(subscribed("past_due"), subscribed("past_due")), std::nullopt);
  EXPECT_EQ(notice(subscribed("past_due"), subscribed("unpaid")), std::nullopt);
  EXPECT_EQ(notice(subscribed("past_due"), subscribed("active")), std::nullopt);
  EXPECT_EQ(notice(subscribed("past_due"), subscribed("past_due", false, "sub_2")), paymentFailed);

  EXPECT_EQ(notice(subscribed("active"), subscribed("active", true)), planEnding);
  EXPECT_EQ(notice(subscribed("active", true), subscribed("active", true)), std::nullopt);
  EXPECT_EQ(notice(subscribed("active", true), subscribed("active")), std::nullopt);

  EXPECT_EQ(notice(subscribed("active"), subscribed("canceled")), planEnded);
  EXPECT_EQ(notice(subscribed("active", true), subscribed("canceled", true)), planEnded);
  EXPECT_EQ(notice(subscribed("past_due"), subscribed("canceled")), planEnded);
  EXPECT_EQ(notice(subscribed("active"), none), planEnded);
  EXPECT_EQ(notice(subscribed("canceled"), subscribed("canceled")), std::nullopt);
  EXPECT_EQ(notice(subscribed("canceled"), none), std::nullopt);
  EXPECT_EQ(notice(subscribed("incomplete"), subscribed("incomplete_expired")), std::nullopt);
}

class PlanMailsTest : public UsageFixture {
 protected:
  std::vector<mail::TemplatedMail> sent(std::optional<AccountRecord> before, AccountRecord after) {
    if (before) before->id = ann_.id;
    after.id = ann_.id;
    auto inserts = run(planMails_.insertsOf(std::move(before), std::move(after)));
    EXPECT_TRUE(inserts) << inserts.error().message();
    if (inserts && !inserts->empty()) {
      store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
      const std::vector<std::string> ids = store::idsOf(*inserts);
      write.insert(*std::move(inserts));
      EXPECT_TRUE(run(store_.write(std::move(write), nullptr)));
      planMails_.wake(ids);
    }
    std::vector<mail::TemplatedMail> mails = box_.to("ann@example.com");
    std::erase_if(mails, [](const mail::TemplatedMail& mail) { return mail.facts.plan.empty(); });
    return mails;
  }
  const policy::Caller ann_ = person("ann@example.com");
};

TEST_F(PlanMailsTest, AFailedPayment) {
  const auto mails = sent(subscribed("active"), subscribed("past_due"));
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0].kind, mail::MailTemplate::paymentFailed);
  EXPECT_EQ(mails[0].facts.plan, "Pro");
  EXPECT_EQ(mails[0].facts.next, "Free");
  EXPECT_EQ(mails[0].link, "http://localhost/auth/login?plane=control");
  EXPECT_EQ(sent(subscribed("past_due"), subscribed("unpaid")).size(), 1u);
}

TEST_F(PlanMailsTest, APlanThatEnds) {
  auto mails = sent(subscribed("active"), subscribed("active", true));
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0].kind, mail::MailTemplate::planEnded);
  EXPECT_EQ(mails[0].facts.ends, "2027-02-28");
  mails = sent(subscribed("active", true), subscribed("canceled", true));
  ASSERT_EQ(mails.size(), 2u);
  EXPECT_EQ(mails[1].facts.ends, "");
  EXPECT_EQ(mails[1].facts.next, "Free");
}

TEST_F(PlanMailsTest, AGrantHoldsInstead) {
  AccountRecord after = subscribed("canceled");
  after.grant = Grant{"scale", {5}};
  const auto mails = sent(subscribed("active"), after);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0].facts.next, "Scale");
}

TEST_F(PlanMailsTest, NothingIsSentForOtherChanges) {
  EXPECT_TRUE(sent({}, subscribed("active")).empty());
  AccountRecord unknown = subscribed("past_due");
  unknown.subscription->plan = "gold";
  EXPECT_TRUE(sent(subscribed("active"), unknown).empty());
  AccountRecord openEnd = subscribed("active", true);
  openEnd.subscription->currentPeriodEnd = {};
  EXPECT_TRUE(sent(subscribed("active"), openEnd).empty());
}

}  // namespace
}  // namespace mb::billing
