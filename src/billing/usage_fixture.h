// Projects with readings on an in-memory store, for this module's tests of history, costs and mails.
#pragma once

#include <map>
#include <set>

#include "billing/costs.h"
#include "billing/hourly_readings.h"
#include "billing/plan_mails.h"
#include "projects/projects_fixture.h"

namespace mb::billing {

// Meters whose readings the test sets, by the id of the project.
class SetMeters final : public Meters {
 public:
  Task<ProjectUsage> of(projects::ProjectRecord project) override {
    if (failing.contains(project.id.str())) co_return fail(ErrorCode::unavailable, "no reading");
    co_return usages[project.id.str()];
  }
  Task<std::vector<ProjectUsage>> ofAll(std::vector<projects::ProjectRecord> all) override {
    std::vector<ProjectUsage> read;
    for (const projects::ProjectRecord& each : all) {
      CO_TRY(const ProjectUsage usage, co_await of(each));
      read.push_back(usage);
    }
    co_return read;
  }
  std::map<std::string, ProjectUsage> usages;
  std::set<std::string> failing;
};

class UsageFixture : public projects::ProjectsFixture {
 protected:
  UsageFixture() : ProjectsFixture(false, 1, systemCollections()) {}

  static Timestamp at(std::string_view time) { return *parseRfc3339(time); }
  static Day day(std::string_view text) { return *parseDay(text); }
  static CostRange range(std::string_view from, std::string_view to) { return {day(from), day(to)}; }

  Task<int64_t> runsIn(store::ProjectNo project, Timestamp time) { co_return months_[{project, monthOf(time)}]; }

  // Takes one reading of a project at the time, by the clock.
  void read(const projects::ProjectView& project, std::string_view time, ProjectUsage usage) {
    clock_.set(at(time).ms);
    const Result<> recorded = run(history_.record({recordOf(project.id)}, {usage}, clock_.now()));
    EXPECT_TRUE(recorded) << recorded.error().message();
  }
  std::vector<DayRecord> days() const {
    std::vector<DayRecord> all;
    for (const doc::Document& each : store_.all(billingCollection(kUsageDays))) {
      all.push_back(*store::fromStore<DayRecord>(each.view()));
    }
    return all;
  }
  CostReport reported(std::string_view from, std::string_view to) {
    auto report = run(costs_.report(range(from, to), soon()));
    EXPECT_TRUE(report) << report.error().message();
    return report ? *std::move(report) : CostReport{};
  }
  // The mails about plans to an address, as "limitNear Shop storage".
  std::vector<std::string> mailsTo(const std::string& address) const {
    std::vector<std::string> all;
    for (const mail::TemplatedMail& mail : box_.to(address)) {
      if (mail.facts.plan.empty()) continue;
      all.push_back(fmt::format("{} {} {}", mail::nameOf(mail.kind), mail.facts.project, mail.facts.limit));
    }
    return all;
  }
  void pin(const policy::Caller& user, plans::Limit limit, int64_t max) {
    const PinnedLimit pinned{std::string(plans::nameOf(limit)), {max}};
    const auto changed = run(accounts_.change(user.id, soon(), {}, [pinned](AccountRecord& account) -> Result<bool> {
      if (!account.pinned) account.pinned.emplace();
      account.pinned->push_back(pinned);
      return true;
    }));
    EXPECT_TRUE(changed) << changed.error().message();
  }
  bool pass() {
    const auto done = run(readings_.pass());
    EXPECT_TRUE(done) << done.error().message();
    return done && *done;
  }

  std::map<std::pair<store::ProjectNo, std::string>, int64_t> months_;
  SetMeters meters_;
  Accounts accounts_{{store_, clock_, auditor_}};
  History history_{{store_, [this](store::ProjectNo project, Timestamp time) { return runsIn(project, time); }}};
  Costs costs_{{store_, history_, clock_}};
  LimitMails mails_{{store_, accounts_, box_.mailer(), "http://localhost/"}};
  PlanMails planMails_{{store_, box_.mailer(), "http://localhost"}};
  HourlyReadings readings_{{store_, meters_, history_, mails_, clock_}};
};

}  // namespace mb::billing
