// Finds due jobs in the store by fairness key. Keys that are full or have nothing due are skipped, so that a key with
// thousands of rows costs a read of its first.
#include "base/log.h"
#include "jobs/queue_impl.h"
#include "jobs/sweep_pages.h"

namespace mb::jobs {

namespace {

using namespace std::chrono_literals;

constexpr size_t kPagesPerSweep = 10;
constexpr size_t kPagesPerFill = 10;
constexpr auto kBetweenParts = 20ms;
// The pause between two passes is a hundred times the duration of the last one, within these bounds.
constexpr auto kSweepEvery = 2000ms;
constexpr auto kLongestPause = 15'000ms;

store::Query rowsQuery(std::string_view path, std::string_view from, std::string_view end, uint64_t limit) {
  doc::BsonWriter range;
  range.beginDocument(path);
  range.appendString("$gte", from);
  range.appendString("$lt", end);
  range.end();
  store::Query query;
  query.collection = kRows;
  query.filter = *doc::Filter::parse(range.finish());
  query.sort = {{std::string(path), 1}};
  query.limit = limit;
  query.paged = true;
  query.deadline = storeDeadline();
  return query;
}

}  // namespace

std::string next(std::string place) {
  return std::move(place) + '\x01';
}

Task<Page> rowsBetween(store::DocumentStore& store, std::string_view path, std::string from, std::string end,
                       uint64_t limit) {
  CO_TRY(store::QueryResult found, co_await store.find(rowsQuery(path, from, end, limit)));
  const bool whole = !found.more && found.documents.size() < limit;
  co_return Page{std::move(found.documents), whole};
}

// Offers the ready jobs under `prefix`, starting at the place `from`, of at most `pages` pages.
Async<Queue::Impl::Walk> Queue::Impl::walk(std::string prefix, std::string from, size_t pages) {
  Walk walked{from.empty() ? prefix : std::move(from)};
  const std::string end = behind(prefix);
  SweepPages size;
  while (walked.pages < pages && walked.at < end && !stopping) {
    const auto page = co_await rowsBetween(deps.store, kPlacePath, walked.at, end, size.rows());
    ++walked.pages;
    if (!page) {
      logWarn("job queue scan failed; it is retried",
              {{"problem", page.error().message()}, {"cause", page.error().cause()}});
      walked.failed = true;
      co_return walked;
    }
    std::optional<std::string> leap;
    size_t skipped = 0;
    for (const doc::Document& document : page->rows) {
      const std::string place(document.view().stringOr(kPlacePath));
      walked.at = next(place);
      if (leap && place.starts_with(*leap)) {
        ++skipped;
        continue;
      }
      auto row = Row::fromDocument(document);
      if (!row) logError(row.error().message(), {{"job", row.error().cause()}});
      leap = row ? co_await offer(*std::move(row)) : std::nullopt;
    }
    if (leap) walked.at = behind(*leap);
    if (page->whole) break;
    size.onPage(leap.has_value(), page->rows.size(), skipped);
    if (walked.pages == pages && walked.at < end) co_return walked;
  }
  walked.at.clear();
  co_return walked;
}

Async<void> Queue::Impl::sweep() {
  const auto began = std::chrono::steady_clock::now();
  size_t left = kPagesPerSweep;
  if (std::exchange(restartSweep, false)) {
    sweepKind.clear();
    sweepCursor.clear();
  }
  if (sweepKind.empty()) sweepTook = {};
  bool failed = false;
  auto kind = kinds.lower_bound(sweepKind);
  while (kind != kinds.end() && left > 0 && !stopping) {
    const Walk walked = co_await walk(kindPrefix(kind->first), std::move(sweepCursor), left);
    sweepCursor = walked.at;
    left -= walked.pages;
    failed = walked.failed;
    if (!sweepCursor.empty()) break;
    ++kind;
  }
  sweepKind = kind == kinds.end() ? "" : kind->first;
  const auto now = std::chrono::steady_clock::now();
  sweepTook += std::chrono::duration_cast<std::chrono::milliseconds>(now - began);
  const auto pause = std::clamp<std::chrono::milliseconds>(sweepTook * 100, kSweepEvery, kLongestPause);
  nextSweep = now + (sweepKind.empty() || failed ? pause : kBetweenParts);
}

Async<void> Queue::Impl::fill() {
  auto part = buffered.nextToFill();
  if (!part) co_return;
  Walk walked = co_await walk(part->prefix, std::move(part->from), kPagesPerFill);
  // After a failed read the sweep finds the part's jobs.
  if (!walked.at.empty() && !walked.failed) buffered.requestFill({std::move(part->prefix), std::move(walked.at)});
}

}  // namespace mb::jobs
