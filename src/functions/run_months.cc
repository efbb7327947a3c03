#include "functions/run_months.h"

#include <functional>

#include "functions/function_types.h"
#include "functions/run_log.h"
#include "store/record_query.h"

namespace mb::functions {

namespace {

constexpr int64_t kDayMs = 24LL * 3600 * 1000;
constexpr std::string_view kMonthPrefix = "month/";
constexpr std::string_view kMonthField = "month";
constexpr std::string_view kRunsField = "runs";

store::CollectionRef rowsOf(store::ProjectNo project) {
  return {project, kStats, 0};
}

std::string monthId(std::string_view month) {
  return fmt::format("{}{}", kMonthPrefix, month);
}

std::string monthRowId(const ProjectMonth& month, int row) {
  return fmt::format("{}/{:02}", monthId(month.second), row);
}

// As the counter reads it: what is not an integer counts as 0, so that a row never makes a job's end fail.
int64_t runsOf(const std::optional<doc::Document>& row) {
  const auto runs = row ? row->view().find(kRunsField) : std::nullopt;
  return runs ? runs->toInteger().value_or(0) : 0;
}

// The first month that is kept in this one.
std::string oldestKept(const std::string& month) {
  const std::optional<Timestamp> begin = parseRfc3339(month + "-01T00:00:00Z");
  return begin ? monthOf({begin->ms - kStoredMonthDays * kDayMs}) : "";
}

}  // namespace

store::CounterSource runsOfMonthSource() {
  return {.counter = kRunsOfMonth,
          .name = "function runs",
          .summed = std::string(kRunsField),
          .groupedBy = std::string(kMonthField)};
}

int rowOfJob(std::string_view jobId) {
  return 1 + static_cast<int>(std::hash<std::string_view>()(jobId) % kJobRows);
}

store::WriteTarget monthRow(const ProjectMonth& month, int row) {
  return {rowsOf(month.first), monthRowId(month, row)};
}

doc::Document withRuns(const ProjectMonth& month, int row, const std::optional<doc::Document>& stored, int64_t runs) {
  doc::BsonWriter out;
  out.appendString("id", monthRowId(month, row));
  out.appendString(kMonthField, month.second);
  out.appendInt64(kRunsField, runsOf(stored) + runs);
  return out.finish();
}

Task<int64_t> storedRuns(store::DocumentStore& store, ProjectMonth month) {
  // Versions before the counter had one row of a month, without its field for the counter.
  CO_TRY(const auto single, co_await store.get(rowsOf(month.first), monthId(month.second)));
  CO_TRY(const int64_t counted, co_await store.counter({month.first, kRunsOfMonth, month.second}));
  co_return counted + runsOf(single);
}

Task<> pruneMonths(store::DocumentStore& store, ProjectMonth month) {
  doc::BsonWriter range;
  range.beginDocument("id");
  range.appendString("$gte", kMonthPrefix);
  range.appendString("$lt", monthId(oldestKept(month.second)));
  range.end();
  store::Query query =
      store::queryOf(rowsOf(month.first), *doc::Filter::parse(range.finish()), kMaxPrunedRows, store::readDeadline());
  query.projection = store::Projection::ids;
  CO_TRY(const store::QueryResult found, co_await store.find(std::move(query)));
  if (found.documents.empty()) co_return Result<>();
  store::Write write({.deadline = store::readDeadline(),
                      .actor = {store::ActorKind::server, ""},
                      .priority = store::WritePriority::low,
                      .bumpEpochs = {}});
  std::vector<store::Target> rows;
  for (const doc::Document& each : found.documents) {
    rows.push_back(write.change(rowsOf(month.first), std::string(each.view().stringOr("id"))));
  }
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write), store::removing(std::move(rows))));
  co_return Result<>();
}

}  // namespace mb::functions
