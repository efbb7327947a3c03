// Dead-lettered jobs: kept for operators to inspect and retry, bounded in age and number.
#include "base/log.h"
#include "jobs/queue_impl.h"

namespace mb::jobs {

namespace {

constexpr int64_t kKeptMs = 7LL * 24 * 3600 * 1000;
constexpr uint64_t kKept = 10'000;
// So many rows of the largest size fit into one query result of the store.
constexpr uint64_t kPerPage = 12;

doc::Filter deadBelow(std::string_view place) {
  doc::BsonWriter out;
  out.beginDocument(kPlacePath);
  out.appendString("$gte", "d");
  out.appendString("$lt", place);
  out.end();
  return *doc::Filter::parse(out.finish());
}

doc::Document revived(Row row, Timestamp now) {
  row.dead = false;
  row.failedAttempts = 0;
  row.error.clear();
  row.dueAt = now;
  return row.toDocument();
}

}  // namespace

Async<void> Queue::Impl::trimDead() {
  const std::string old = deadPlace({deps.clock.now().ms - kKeptMs}, "");
  auto removed = co_await removeDead(old, std::numeric_limits<uint64_t>::max());
  auto left = removed ? co_await deps.store.count(kRows, deadBelow("e"), storeDeadline())
                      : Result<uint64_t>(fail(removed.error().clone()));
  if (left && *left > kKept) removed = co_await removeDead("e", *left - kKept);
  if (!left || !removed) logWarn("dead-lettered jobs could not be trimmed; retried within an hour");
}

// Removes at most `limit` jobs, oldest first, whose place is below `below`; returns how many.
Task<size_t> Queue::Impl::removeDead(std::string below, uint64_t limit) {
  size_t removed = 0;
  while (removed < limit && !stopping) {
    store::Query query;
    query.collection = kRows;
    query.filter = deadBelow(below);
    query.sort = {{std::string(kPlacePath), 1}};
    query.limit = std::min<uint64_t>(kPerPage, limit - removed);
    query.deadline = storeDeadline();
    CO_TRY(const store::QueryResult found, co_await deps.store.find(std::move(query)));
    if (found.documents.empty()) break;
    store::Write write(asServer());
    write.options.priority = store::WritePriority::low;
    std::vector<store::Target> rows;
    for (const doc::Document& document : found.documents) {
      rows.push_back(write.change(kRows, std::string(document.view().stringOr("id"))));
    }
    auto callback = [rows](const store::PreImages& before, store::Changes& changes) -> Result<> {
      for (const store::Target row : rows) {
        if (before[row] && before[row]->view().stringOr(kPlacePath).starts_with('d')) changes.remove(row);
      }
      return {};
    };
    CO_RETURN_IF_ERROR(co_await deps.store.write(std::move(write), std::move(callback)));
    removed += found.documents.size();
  }
  co_return removed;
}

Task<std::vector<DeadJob>> Queue::dead(uint64_t limit, uint64_t skip) {
  std::vector<DeadJob> jobs;
  while (jobs.size() < limit) {
    store::Query query;
    query.collection = kRows;
    query.filter = deadBelow("e");
    query.sort = {{std::string(kPlacePath), -1}};
    query.skip = skip + jobs.size();
    query.limit = std::min<uint64_t>(kPerPage, limit - jobs.size());
    query.deadline = storeDeadline();
    const uint64_t pageSize = query.limit;
    CO_TRY(const store::QueryResult found, co_await impl_->deps.store.find(std::move(query)));
    for (const doc::Document& document : found.documents) {
      CO_TRY(Row row, Row::fromDocument(document));
      jobs.push_back({std::move(row.id), std::move(row.kind), row.project, row.failedAttempts, std::move(row.error),
                      row.createdAt, row.dueAt});
    }
    if (found.documents.size() < pageSize) break;
  }
  co_return jobs;
}

Task<bool> Queue::Impl::changeDead(std::string id, std::vector<store::Insert> extraInserts, bool retry) {
  store::Write write(asServer());
  const store::Target target = write.change(kRows, std::move(id));
  write.insert(std::move(extraInserts));
  co_return co_await store::writeReturning(
      deps.store, std::move(write),
      [target, retry, now = deps.clock.now()](const store::PreImages& before, store::Changes& changes) -> Result<bool> {
        if (!before[target]) return false;
        auto row = Row::fromDocument(*before[target]);
        if (!row || !row->dead) return false;
        changes.set(target, retry ? store::Change::replace(revived(*std::move(row), now)) : store::Change::remove());
        return true;
      });
}

Task<bool> Queue::retryDead(std::string id, std::vector<store::Insert> extraInserts) {
  CO_TRY(const bool found, co_await impl_->changeDead(id, std::move(extraInserts), true));
  if (found) wake({std::move(id)});
  co_return found;
}

Task<bool> Queue::discardDead(std::string id, std::vector<store::Insert> extraInserts) {
  co_return co_await impl_->changeDead(std::move(id), std::move(extraInserts), false);
}

}  // namespace mb::jobs
