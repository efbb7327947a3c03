#include "billing/history.h"

#include <algorithm>
#include <numeric>

#include "store/record_query.h"
#include "store/records.h"

namespace mb::billing {

namespace {

constexpr size_t kWriteBatch = 100;
constexpr uint64_t kDaysPage = 1000;

store::CollectionRef days() {
  return billingCollection(kUsageDays);
}

store::Write serverWrite() {
  return store::Write({.deadline = store::readDeadline(),
                       .actor = {store::ActorKind::server, ""},
                       .priority = store::WritePriority::low,
                       .bumpEpochs = {}});
}

// Ids above `from` and below `to`.
doc::Filter idsBetween(std::string_view from, std::string_view to) {
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString("$gt", from);
  out.appendString("$lt", to);
  out.end();
  return *doc::Filter::parse(out.finish());
}

// The days of a project before `day`.
doc::Filter before(std::string_view projectId, Day day) {
  doc::BsonWriter out;
  out.appendString("projectId", projectId);
  out.beginDocument("day");
  out.appendString("$lt", textOf(day));
  out.end();
  return *doc::Filter::parse(out.finish());
}

int64_t hourOf(Timestamp at) {
  return (at.ms - startOf(dayOf(at)).ms) / kHourMs;
}

}  // namespace

std::string idOf(Day day, std::string_view projectId) {
  return textOf(day) + ":" + std::string(projectId);
}

int64_t DayRecord::connectionHours() const {
  return std::accumulate(connections.begin(), connections.end(), int64_t{0},
                         [](int64_t sum, const HourReading& one) { return sum + one.connections; });
}

double DayRecord::realtimeConnections() const {
  if (connections.empty()) return 0;
  return static_cast<double>(connectionHours()) / static_cast<double>(connections.size());
}

DayRecord withReading(DayRecord record, const ProjectUsage& usage, Timestamp at) {
  const int64_t hour = hourOf(at);
  const auto found = std::ranges::lower_bound(record.connections, hour, {}, &HourReading::hour);
  const bool again = found != record.connections.end() && found->hour == hour;
  if (again) {
    found->connections = std::max(found->connections, usage.realtimeConnections);
  } else {
    record.connections.insert(found, HourReading{hour, usage.realtimeConnections});
  }
  record.storageBytes = usage.storageBytes;
  record.vectors = again ? std::max(record.vectors, usage.vectors) : usage.vectors;
  record.functionRuns = std::max(record.functionRuns, usage.functionRuns);
  return record;
}

// ---- recording

Task<> History::record(std::vector<projects::ProjectRecord> projects, std::vector<ProjectUsage> usages, Timestamp at) {
  for (size_t from = 0; from < projects.size(); from += kWriteBatch) {
    const auto begin = static_cast<std::ptrdiff_t>(from);
    const auto end = static_cast<std::ptrdiff_t>(std::min(from + kWriteBatch, projects.size()));
    CO_RETURN_IF_ERROR(co_await recordBatch({projects.begin() + begin, projects.begin() + end},
                                            {usages.begin() + begin, usages.begin() + end}, at));
  }
  co_return Result<>();
}

Task<> History::recordBatch(std::vector<projects::ProjectRecord> projects, std::vector<ProjectUsage> usages,
                            Timestamp at) {
  const Day day = dayOf(at);
  CO_TRY(const std::vector<Closing> ended, co_await closings(projects, day));
  store::Write write = serverWrite();
  std::vector<store::Target> targets;
  std::vector<DayRecord> empty;  // as new records begin
  for (const projects::ProjectRecord& project : projects) {
    empty.push_back({.id = idOf(day, project.id.str()), .projectId = project.id.str(), .day = textOf(day)});
    targets.push_back(write.change(days(), empty.back().id));
  }
  std::vector<store::Target> closed;
  for (const Closing& each : ended) closed.push_back(write.change(days(), each.id));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [at, &targets = std::as_const(targets), &empty = std::as_const(empty), &usages = std::as_const(usages),
       &closed = std::as_const(closed),
       &ended = std::as_const(ended)](const store::PreImages& stored, store::Changes& changes) -> Result<> {
        for (size_t i = 0; i < targets.size(); ++i) {
          TRY(std::optional<DayRecord> record, store::fromStore<DayRecord>(stored[targets[i]]));
          changes.put(targets[i], doc::encode(withReading(record ? *std::move(record) : empty[i], usages[i], at)));
        }
        for (size_t i = 0; i < closed.size(); ++i) {
          TRY(std::optional<DayRecord> record, store::fromStore<DayRecord>(stored[closed[i]]));
          if (!record || record->functionRuns >= ended[i].runs) continue;
          record->functionRuns = ended[i].runs;
          changes.put(closed[i], doc::encode(*record));
        }
        return {};
      }));
  co_return Result<>();
}

// Runs may be counted after the last reading of a month: those since it, and those that began before its end and ended
// after it. So the month is counted again with each reading of a first day, and with the first reading after a pause.
Task<std::vector<History::Closing>> History::closings(std::vector<projects::ProjectRecord> projects, Day day) {
  std::vector<std::string> ids;
  for (const projects::ProjectRecord& project : projects) ids.push_back(idOf(day, project.id.str()));
  CO_TRY(const auto stored, co_await deps_.store.getMany(days(), std::move(ids)));
  const bool firstDay = day == firstOfMonth(day);
  std::vector<Closing> all;
  for (size_t i = 0; i < projects.size(); ++i) {
    if (stored[i] && !firstDay) continue;
    CO_TRY(std::optional<Closing> closing, co_await closingOf(projects[i], day));
    if (closing) all.push_back(*std::move(closing));
  }
  co_return all;
}

Task<std::optional<History::Closing>> History::closingOf(projects::ProjectRecord project, Day day) {
  store::Query query = store::queryOf(days(), before(project.id.str(), day), 1, store::readDeadline());
  query.sort = {{"projectId", -1}, {"day", -1}};
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(const std::vector<DayRecord> last, store::fromStore<DayRecord>(found.documents));
  if (last.empty() || monthOf(last.front().day) == monthOf(textOf(day))) co_return std::nullopt;
  const std::optional<Day> ended = parseDay(last.front().day);
  if (!ended) co_return fail(ErrorCode::internal, "a stored day of usage could not be read");
  CO_TRY(const int64_t runs,
         co_await deps_.runsOfMonth(static_cast<store::ProjectNo>(project.number), startOf(*ended)));
  if (runs <= last.front().functionRuns) co_return std::nullopt;
  co_return Closing{last.front().id, runs};
}

// ---- removing and reading

Task<uint64_t> History::prune(Timestamp at) {
  const std::string oldest = textOf(dayOf({at.ms - kStoredDays * kDayMs}));
  uint64_t removed = 0;
  while (removed < kPrunedAtOnce) {
    store::Query query = store::queryOf(days(), idsBetween("", oldest), kWriteBatch, store::readDeadline());
    query.projection = store::Projection::ids;
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    if (found.documents.empty()) break;
    store::Write write = serverWrite();
    std::vector<store::Target> targets;
    for (const doc::Document& each : found.documents) {
      targets.push_back(write.change(days(), std::string(each.view().stringOr("id"))));
    }
    CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(targets))));
    removed += found.documents.size();
    if (found.documents.size() < kWriteBatch) break;
  }
  co_return removed;
}

Task<DayPage> History::page(Day from, Day to, std::string after, store::Deadline deadline) {
  const std::string begin = after.empty() ? textOf(from) : std::move(after);
  store::Query query =
      store::queryOf(days(), idsBetween(begin, textOf(to + std::chrono::days(1))), kDaysPage, deadline);
  query.paged = true;
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  DayPage page;
  CO_TRY(page.days, store::fromStore<DayRecord>(found.documents));
  if (found.more || page.days.size() == kDaysPage) page.next = page.days.back().id;
  co_return page;
}

}  // namespace mb::billing
