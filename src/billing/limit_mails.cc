#include "billing/limit_mails.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "base/text.h"
#include "billing/calendar.h"
#include "billing/plan_mails.h"
#include "identity/realm.h"
#include "identity/user_types.h"
#include "store/record_query.h"
#include "store/records.h"

namespace mb::billing {

namespace {

using plans::Limit;

constexpr std::array kOfEachProject = {Limit::storageBytes, Limit::functionRunsPerMonth, Limit::vectors,
                                       Limit::realtimeConnections};
constexpr size_t kMonthBytes = 7;

std::string_view labelOf(Limit limit) {
  switch (limit) {
    case Limit::maxProjects:
      return "projects";
    case Limit::storageBytes:
      return "storage";
    case Limit::functionRunsPerMonth:
      return "function runs of this month";
    case Limit::vectors:
      return "vectors";
    case Limit::realtimeConnections:
      return "realtime connections";
    case Limit::environmentsPerProject:
      return "environments";
  }
  return "";
}

void addState(std::vector<LimitState>& states, const plans::PlanInForce& plan, const ProjectUsage& usage, Limit limit) {
  const int64_t use = usage.at(limit);
  const LimitLevel level = levelOf(use, plan.max(limit));
  if (level != LimitLevel::none) states.push_back({limit, level, use, *plan.max(limit)});
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

std::string keyOf(Limit limit, LimitLevel level, std::string_view month) {
  return fmt::format("{} {} {}", plans::nameOf(limit), level == LimitLevel::near ? "near" : "reached", month);
}

// 2026-01 as a count of months.
int64_t monthNumber(std::string_view month) {
  const std::optional<Day> first = parseDay(std::string(month) + "-01");
  if (!first) return 0;
  const std::chrono::year_month_day date(*first);
  return int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month());
}

std::string monthOfKey(std::string_view key) {
  return key.size() < kMonthBytes ? "" : std::string(key.substr(key.size() - kMonthBytes));
}

}  // namespace

// ---- what is due

LimitLevel levelOf(int64_t use, std::optional<int64_t> max) {
  if (!max || use <= 0) return LimitLevel::none;
  if (use >= *max) return LimitLevel::reached;
  return use >= *max - *max / 5 ? LimitLevel::near : LimitLevel::none;
}

std::string amountText(Limit limit, int64_t amount) {
  if (limit != Limit::storageBytes) return withSeparators(amount);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (amount < 1024) return fmt::format("{} bytes", amount);
  double value = static_cast<double>(amount) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " " + kUnits[unit];
}

std::vector<LimitState> dueOf(const SentMails& sent, const std::vector<LimitState>& states, Timestamp now) {
  const std::string month = monthOf(now);
  std::vector<LimitState> due;
  for (const LimitState& state : states) {
    if (state.level == LimitLevel::none) continue;
    if (contains(sent.sent, keyOf(state.limit, state.level, month))) continue;
    due.push_back(state);
  }
  return due;
}

SentMails withSent(SentMails sent, const std::vector<LimitState>& due, Timestamp now) {
  const std::string month = monthOf(now);
  std::erase_if(sent.sent, [current = monthNumber(month)](const std::string& key) {
    return std::abs(monthNumber(monthOfKey(key)) - current) > kSentMonths;
  });
  const auto add = [&](std::string key) {
    if (!contains(sent.sent, key)) sent.sent.push_back(std::move(key));
  };
  for (const LimitState& state : due) {
    add(keyOf(state.limit, LimitLevel::near, month));
    if (state.level == LimitLevel::reached) add(keyOf(state.limit, LimitLevel::reached, month));
  }
  return sent;
}

// ---- sending

std::vector<LimitMails::Subject> LimitMails::subjectsOf(const projects::OrganizationRecord& organization,
                                                        const std::vector<projects::ProjectRecord>& projects,
                                                        const std::vector<ProjectUsage>& usages,
                                                        const plans::PlanInForce& plan) {
  std::map<std::string, bool> pays;  // by the id of a root project
  for (const projects::ProjectRecord& project : projects) {
    if (!project.parentId.value) {
      pays[project.id.str()] = contains(project.owners, organization.ownerId.str());
    }
  }
  std::vector<Subject> subjects;
  const std::string user = organization.ownerId.str();
  subjects.push_back({.empty = {.id = user}, .project = "", .states = {}});
  // The count of projects is the same in all usages.
  if (!usages.empty()) addState(subjects.back().states, plan, usages.front(), Limit::maxProjects);
  for (size_t i = 0; i < projects.size(); ++i) {
    const projects::ProjectRecord& project = projects[i];
    const std::string id = project.id.str();
    const auto found = pays.find(project.parentId.value ? project.parentId.value->str() : id);
    if (found == pays.end() || !found->second) continue;
    Subject subject{.empty = {.id = id, .projectId = id}, .project = project.name, .states = {}};
    for (const Limit limit : kOfEachProject) addState(subject.states, plan, usages[i], limit);
    if (!project.parentId.value) addState(subject.states, plan, usages[i], Limit::environmentsPerProject);
    subjects.push_back(std::move(subject));
  }
  std::erase_if(subjects, [](const Subject& subject) { return subject.states.empty(); });
  return subjects;
}

Task<> LimitMails::check(projects::OrganizationRecord organization, std::vector<projects::ProjectRecord> projects,
                         std::vector<ProjectUsage> usages, Timestamp now) {
  const std::string userId = organization.ownerId.str();
  CO_TRY(const AccountPlan account, co_await deps_.accounts.planOf(userId));
  std::vector<Subject> subjects = subjectsOf(organization, projects, usages, account.plan);
  if (subjects.empty()) co_return Result<>();
  CO_TRY(const auto found, co_await deps_.store.get({store::kControlProject, identity::kUsers, 0}, userId));
  CO_TRY(const auto user, store::fromStore<identity::UserRecord>(found));
  if (!user || !user->active() || !user->notifyLimits.value_or(true)) co_return Result<>();
  std::vector<std::string> ids;
  for (const Subject& subject : subjects) ids.push_back(subject.empty.id);
  CO_TRY(const auto stored, co_await deps_.store.getMany(billingCollection(kLimitMails), std::move(ids)));
  for (size_t i = 0; i < subjects.size(); ++i) {
    CO_TRY(std::optional<SentMails> record, store::fromStore<SentMails>(stored[i]));
    SentMails sent = record ? *std::move(record) : subjects[i].empty;
    CO_RETURN_IF_ERROR(co_await send(std::move(subjects[i]), std::move(sent), account.plan.name, user->email, now));
  }
  co_return Result<>();
}

Task<> LimitMails::send(Subject subject, SentMails stored, std::string plan, std::string to, Timestamp now) {
  const std::vector<LimitState> due = dueOf(stored, subject.states, now);
  if (due.empty()) co_return Result<>();
  store::Write write({.deadline = store::readDeadline(),
                      .actor = {store::ActorKind::server, ""},
                      .priority = store::WritePriority::low,
                      .bumpEpochs = {}});
  std::vector<std::string> jobs;
  for (const LimitState& state : due) {
    mail::TemplatedMail mail =
        planMail(state.level == LimitLevel::near ? mail::MailTemplate::limitNear : mail::MailTemplate::limitReached, to,
                 deps_.baseUrl);
    mail.facts = {.plan = plan,
                  .project = subject.project,
                  .limit = std::string(labelOf(state.limit)),
                  .use = amountText(state.limit, state.use),
                  .max = amountText(state.limit, state.max)};
    Result<store::Insert> job = deps_.mailer.insertOf(mail, store::kControlProject);
    if (!job) {
      // The next hour must not fail for the same reason: the mail counts as sent.
      logInfo("mail about a limit not sent", {{"message", job.error().message()}});
      continue;
    }
    jobs.push_back(job->id());
    write.insert(*std::move(job));
  }
  const store::Target record = write.change(billingCollection(kLimitMails), stored.id);
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [record, now, &due = std::as_const(due), &empty = std::as_const(subject.empty)](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   TRY(std::optional<SentMails> sent, store::fromStore<SentMails>(before[record]));
                                   if (!sent) sent = empty;
                                   // Sent since the record was read: the next hour sends what is left.
                                   if (dueOf(*sent, due, now).size() != due.size()) return {};
                                   changes.put(record, doc::encode(withSent(*std::move(sent), due, now)));
                                   return {};
                                 }));
  for (std::string& job : jobs) deps_.mailer.wake(std::move(job));
  co_return Result<>();
}

}  // namespace mb::billing
