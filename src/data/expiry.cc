#include "data/expiry.h"

#include <chrono>
#include <limits>

#include "base/log.h"

namespace mb::data {
namespace {

constexpr std::chrono::seconds kInterval{30};
constexpr uint64_t kPerQuery = 120;
// A document has at most 1 MiB, and the change log entry of a commit holds the removed documents.
constexpr uint64_t kPerCommit = 12;
// Bounds the work for one index, so that many expired documents of one collection do not delay all others for minutes.
constexpr int kQueriesPerPass = 200;
constexpr std::chrono::seconds kDeadline{20};

// Matches the documents of the index that have expired by `now`.
Result<doc::Filter> expired(const store::IndexSpec& spec, Timestamp now) {
  const int64_t seconds = *spec.expireAfterSeconds;
  doc::BsonWriter out;
  out.beginDocument(spec.keys.front().path);
  out.appendDate("$lt", Timestamp{now.ms - seconds * 1000});
  out.end();
  TRY(const doc::Filter due, doc::Filter::parse(out.finish()));
  if (!spec.partialFilter) return due;
  TRY(const doc::Filter covered, doc::Filter::parse(*spec.partialFilter));
  return doc::Filter::both(due, covered);
}

bool expires(const store::IndexInfo& index) {
  return index.ready && index.spec.expireAfterSeconds && index.spec.keys.size() == 1;
}

}  // namespace

Expiry::Expiry(const DataDeps& deps, ProjectNumbers projects) : deps_(deps), projects_(std::move(projects)) {}

void Expiry::start(TaskGroup& tasks) {
  passes_.start(deps_.cores.at(0).get_executor(), tasks,
                {.interval = kInterval, .firstAfter = std::chrono::milliseconds(0)}, [this] { return loggedPass(); });
}

Async<void> Expiry::loggedPass() {
  if (auto done = co_await pass(); !done) {
    logWarn("the scan for expired documents failed; it is retried", {{"error", done.error().message()}});
  }
}

Task<uint64_t> Expiry::pass() {
  CO_TRY(const std::vector<store::ProjectNo> projects, co_await projects_());
  uint64_t removed = 0;
  for (const store::ProjectNo project : projects) {
    if (passes_.stopping()) break;
    auto done = co_await passProject(project);
    if (done) {
      removed += *done;
    } else {
      logWarn("expired documents of a project could not be removed; the next pass retries",
              {{"project", project}, {"problem", done.error().message()}});
    }
  }
  co_return removed;
}

Task<uint64_t> Expiry::passProject(store::ProjectNo project) {
  CO_TRY(const std::vector<store::CollectionInfo> collections, co_await deps_.store.collections(project));
  uint64_t removed = 0;
  for (const store::CollectionInfo& collection : collections) {
    for (const store::IndexInfo& index : collection.indexes) {
      if (!expires(index)) continue;
      auto done = co_await passIndex({project, collection.number, collection.version}, index.spec);
      if (done) {
        removed += *done;
      } else if (done.error().code() != ErrorCode::staleCatalogue) {
        logWarn("expired documents of a collection could not be removed; the next pass retries",
                {{"project", project}, {"collection", collection.name}, {"problem", done.error().message()}});
      }
    }
  }
  co_return removed;
}

Task<uint64_t> Expiry::passIndex(store::CollectionRef collection, store::IndexSpec spec) {
  CO_TRY(const doc::Filter filter, expired(spec, deps_.clock.now()));
  uint64_t removed = 0;
  for (int queries = 0; queries < kQueriesPerPass && !passes_.stopping(); ++queries) {
    store::Query query;
    query.collection = collection;
    query.filter = filter;
    query.limit = kPerQuery;
    query.projection = store::Projection::ids;
    query.deadline = std::chrono::steady_clock::now() + kDeadline;
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    std::vector<store::WriteTarget> targets;
    for (size_t i = 0; i < found.documents.size() && !passes_.stopping(); ++i) {
      targets.push_back({collection, std::string(found.documents[i].view().stringOr("id"))});
      if (targets.size() < kPerCommit && i + 1 < found.documents.size()) continue;
      CO_TRY(const uint64_t gone, co_await removeExpired(std::exchange(targets, {}), filter));
      removed += gone;
    }
    if (found.documents.size() < kPerQuery) break;
  }
  co_return removed;
}

Task<uint64_t> Expiry::removeExpired(std::vector<store::WriteTarget> targets, doc::Filter filter) {
  store::WriteOptions options;
  options.deadline = std::chrono::steady_clock::now() + kDeadline;
  options.actor = {store::ActorKind::server, ""};
  options.priority = store::WritePriority::low;
  store::Write write(std::move(options));
  std::vector<store::Target> due = write.change(std::move(targets));
  co_return co_await store::writeReturning(
      deps_.store, std::move(write),
      [due = std::move(due), &filter = std::as_const(filter)](const store::PreImages& before,
                                                              store::Changes& changes) -> Result<uint64_t> {
        uint64_t removed = 0;
        for (const store::Target target : due) {
          if (!before[target] || !filter.matches(*before[target])) continue;
          changes.remove(target);
          ++removed;
        }
        return removed;
      });
}

}  // namespace mb::data
