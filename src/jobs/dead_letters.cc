// Jobs given up stay for a while, for whoever wants to know why, and not without end.
#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {

constexpr int64_t kKeptMs = 7LL * 24 * 3600 * 1000;
constexpr uint64_t kKept = 10'000;
constexpr uint64_t kPerCommit = 50;

doc::Filter deadBelow(std::string_view place) {
  doc::BsonWriter out;
  out.beginDocument(kPlacePath);
  out.appendString("$gte", "d");
  out.appendString("$lt", place);
  out.end();
  return *doc::Filter::parse(out.finish());
}

}  // namespace

Async<void> Queue::Impl::trimDead() {
  const std::string old = placeOf(true, {deps.clock.now().ms - kKeptMs}, "");
  auto removed = co_await removeDead(old, std::numeric_limits<uint64_t>::max());
  auto left = removed ? co_await deps.store.count(kRows, deadBelow("e"), storeDeadline())
                      : Result<uint64_t>(fail(removed.error().clone()));
  if (left && *left > kKept) removed = co_await removeDead("e", *left - kKept);
  if (!left || !removed) logWarn("old jobs that were given up stay for now");
}

// The oldest `limit` of those whose place is below; how many went.
Task<size_t> Queue::Impl::removeDead(std::string below, uint64_t limit) {
  size_t removed = 0;
  while (removed < limit && !stopping) {
    store::Query query;
    query.collection = kRows;
    query.filter = deadBelow(below);
    query.sort = {{std::string(kPlacePath), 1}};
    query.limit = std::min<uint64_t>(kPerCommit, limit - removed);
    query.deadline = storeDeadline();
    CO_TRY(const store::QueryResult found, co_await deps.store.find(std::move(query)));
    if (found.documents.empty()) break;
    std::vector<store::WriteTarget> targets;
    for (const doc::Document& document : found.documents) {
      targets.push_back({kRows, std::string(document.view().stringOr("id"))});
    }
    store::WriteOptions options = asServer();
    options.lane = store::Lane::low;
    CO_CHECK(co_await deps.store.write(
        std::move(targets),
        [](std::span<const std::optional<doc::Document>> before) -> Result<std::vector<store::Change>> {
          std::vector<store::Change> changes;
          for (const auto& document : before) {
            const bool dead = document && document->view().stringOr(kPlacePath).starts_with('d');
            changes.push_back(dead ? store::Change::remove() : store::Change::keep());
          }
          return changes;
        },
        std::move(options)));
    removed += found.documents.size();
  }
  co_return removed;
}

}  // namespace mb::jobs
