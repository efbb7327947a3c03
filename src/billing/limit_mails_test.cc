#include "billing/limit_mails.h"

#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

using plans::Limit;

TEST(LimitLevel, NearFromFourFifthsOn) {
  const int64_t largest = (int64_t{1} << 53) - 1;
  const std::tuple<int64_t, std::optional<int64_t>, LimitLevel> cases[] = {
      {79, 100, LimitLevel::none},      {80, 100, LimitLevel::near},
      {99, 100, LimitLevel::near},      {100, 100, LimitLevel::reached},
      {5000, 100, LimitLevel::reached}, {2, 3, LimitLevel::none},
      {3, 3, LimitLevel::reached},      {4, 5, LimitLevel::near},
      {0, 0, LimitLevel::none},         {1, 0, LimitLevel::reached},
      {0, 1, LimitLevel::none},         {1000, std::nullopt, LimitLevel::none},
      {-1, 0, LimitLevel::none},        {largest - 1, largest, LimitLevel::near},
  };
  for (const auto& [use, max, level] : cases) EXPECT_EQ(levelOf(use, max), level) << use;
}

TEST(LimitAmount, IsReadable) {
  EXPECT_EQ(amountText(Limit::vectors, 999), "999");
  EXPECT_EQ(amountText(Limit::vectors, 1000), "1,000");
  EXPECT_EQ(amountText(Limit::functionRunsPerMonth, 100'000'000), "100,000,000");
  EXPECT_EQ(amountText(Limit::storageBytes, 1023), "1023 bytes");
  EXPECT_EQ(amountText(Limit::storageBytes, 1024), "1 KiB");
  EXPECT_EQ(amountText(Limit::storageBytes, int64_t{820} << 20), "820 MiB");
  EXPECT_EQ(amountText(Limit::storageBytes, int64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(amountText(Limit::storageBytes, int64_t{5000} << 40), "5000 TiB");
}

std::vector<LimitLevel> dueAt(const SentMails& sent, LimitLevel level, std::string_view time) {
  std::vector<LimitLevel> levels;
  for (const LimitState& state : dueOf(sent, {{Limit::vectors, level, 1, 1}}, *parseRfc3339(time))) {
    levels.push_back(state.level);
  }
  return levels;
}

TEST(LimitMailsDue, OnceAMonthWhateverTheClockDoes) {
  const std::vector<LimitState> near = {{Limit::vectors, LimitLevel::near, 8, 10}};
  SentMails sent{.id = "proj_1"};
  EXPECT_EQ(dueAt(sent, LimitLevel::near, "2027-01-10T00:00:00Z").size(), 1u);
  sent = withSent(sent, near, *parseRfc3339("2027-01-10T00:00:00Z"));
  EXPECT_TRUE(dueAt(sent, LimitLevel::near, "2027-01-31T23:59:59Z").empty());
  EXPECT_EQ(dueAt(sent, LimitLevel::reached, "2027-01-31T23:59:59Z").size(), 1u);
  // The clock jumps a month and is set back: none of both months is sent twice.
  EXPECT_EQ(dueAt(sent, LimitLevel::near, "2027-02-10T00:00:00Z").size(), 1u);
  sent = withSent(sent, near, *parseRfc3339("2027-02-10T00:00:00Z"));
  EXPECT_TRUE(dueAt(sent, LimitLevel::near, "2027-01-20T00:00:00Z").empty());
  EXPECT_TRUE(dueAt(sent, LimitLevel::near, "2027-02-20T00:00:00Z").empty());
}

TEST(LimitMailsDue, TheRecordIsBounded) {
  SentMails sent{.id = "proj_1"};
  for (int year = 2027; year < 2030; ++year) {
    for (int month = 1; month <= 12; ++month) {
      sent = withSent(sent, {{Limit::vectors, LimitLevel::reached, 10, 10}},
                      *parseRfc3339(fmt::format("{}-{:02}-10T00:00:00Z", year, month)));
    }
  }
  EXPECT_EQ(sent.sent.size(), 2u * (kSentMonths + 1));
  EXPECT_EQ(sent.sent.back(), "vectors reached 2029-12");
}

TEST(LimitMailsDue, AReachedLimitIsNotNearAgain) {
  const SentMails sent = withSent({.id = "proj_1"}, {{Limit::vectors, LimitLevel::reached, 10, 10}},
                                  *parseRfc3339("2027-01-10T00:00:00Z"));
  EXPECT_TRUE(dueAt(sent, LimitLevel::near, "2027-01-11T00:00:00Z").empty());
  EXPECT_TRUE(dueAt(sent, LimitLevel::reached, "2027-01-11T00:00:00Z").empty());
}

class LimitMailsTest : public UsageFixture {
 protected:
  void use(const projects::ProjectView& project, ProjectUsage usage) { meters_.usages[project.id.str()] = usage; }
  std::vector<std::string> annsMails() const { return mailsTo("ann@example.com"); }
  void notify(const policy::Caller& user, bool on) {
    const Result<> changed = run(instance_->changeUser(by(user), {on}));
    EXPECT_TRUE(changed) << changed.error().message();
  }
  const policy::Caller ann_ = person("ann@example.com");
  const projects::ProjectView shop_ = made(ann_, "Shop");
};

TEST_F(LimitMailsTest, EachThresholdOnceAMonth) {
  use(shop_, {.vectors = 39'999});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(annsMails().empty());
  use(shop_, {.vectors = 40'000});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(pass());
  EXPECT_EQ(annsMails(), std::vector<std::string>{"limitNear Shop vectors"});
  use(shop_, {.vectors = 50'000});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(pass());
  const std::vector<std::string> both = {"limitNear Shop vectors", "limitReached Shop vectors"};
  EXPECT_EQ(annsMails(), both);
  clock_.set(at("2027-02-01T00:00:00Z").ms);
  EXPECT_TRUE(pass());
  EXPECT_EQ(annsMails().size(), 3u);
  EXPECT_EQ(annsMails().back(), "limitReached Shop vectors");
}

TEST_F(LimitMailsTest, TheMailSaysWhatIsUsed) {
  pin(ann_, Limit::storageBytes, int64_t{1} << 30);
  use(shop_, {.storageBytes = int64_t{900} << 20});
  EXPECT_TRUE(pass());
  std::vector<mail::TemplatedMail> mails = box_.to("ann@example.com");
  std::erase_if(mails, [](const mail::TemplatedMail& mail) { return mail.kind != mail::MailTemplate::limitNear; });
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0].facts.use, "900 MiB");
  EXPECT_EQ(mails[0].facts.max, "1 GiB");
  EXPECT_EQ(mails[0].facts.plan, "Free");
  EXPECT_EQ(mails[0].link, "http://localhost/auth/login?plane=control");
}

TEST_F(LimitMailsTest, EachLimitAndProjectHasItsOwn) {
  const projects::ProjectView blog = made(ann_, "Blog");
  use(shop_, {.storageBytes = int64_t{1} << 30, .functionRuns = 100'000, .realtimeConnections = 100});
  use(blog, {.functionRuns = 80'000});
  EXPECT_TRUE(pass());
  std::vector<std::string> mails = annsMails();
  std::ranges::sort(mails);
  const std::vector<std::string> expected = {
      "limitNear Blog function runs of this month",
      "limitReached Shop function runs of this month",
      "limitReached Shop realtime connections",
      "limitReached Shop storage",
  };
  EXPECT_EQ(mails, expected);
}

TEST_F(LimitMailsTest, TheCountOfProjectsIsTheAccounts) {
  const projects::ProjectView blog = made(ann_, "Blog");
  use(shop_, {.projects = 3});
  use(blog, {.projects = 3});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(pass());
  EXPECT_EQ(annsMails(), std::vector<std::string>{"limitReached  projects"});
}

TEST_F(LimitMailsTest, EnvironmentsAreThoseOfTheRoot) {
  const projects::ProjectView stage = environment(ann_, shop_, "stage");
  use(shop_, {.environments = 2});
  use(stage, {.vectors = 40'000, .environments = 2});
  EXPECT_TRUE(pass());
  std::vector<std::string> mails = annsMails();
  std::ranges::sort(mails);
  ASSERT_EQ(mails.size(), 2u);
  EXPECT_TRUE(mails[0].starts_with("limitNear ") && mails[0].ends_with(" vectors")) << mails[0];
  EXPECT_EQ(mails[1], "limitReached Shop environments");
}

TEST_F(LimitMailsTest, TheSwitchTurnsThemOff) {
  notify(ann_, false);
  use(shop_, {.vectors = 50'000});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(annsMails().empty());
  notify(ann_, true);
  EXPECT_TRUE(pass());
  EXPECT_EQ(annsMails().size(), 1u);
}

TEST_F(LimitMailsTest, NotToAUserWhoIsNoOwnerAnyMore) {
  const policy::Caller bob = person("bob@example.com");
  join(ann_, shop_, bob, "Owner");
  const auto changed = run(members_->changeRole(by(bob), shop_.id.str(), ann_.id, "Viewer"));
  ASSERT_TRUE(changed) << changed.error().message();
  use(shop_, {.vectors = 50'000});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(annsMails().empty());
  EXPECT_TRUE(mailsTo("bob@example.com").empty());
}

TEST_F(LimitMailsTest, APlanThatAllowsMoreNeedsNoMail) {
  pin(ann_, Limit::vectors, 1'000'000);
  use(shop_, {.vectors = 50'000});
  EXPECT_TRUE(pass());
  EXPECT_TRUE(annsMails().empty());
}

}  // namespace
}  // namespace mb::billing
