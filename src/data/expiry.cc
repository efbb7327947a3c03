#include "data/expiry.h"

#include <chrono>
#include <limits>

#include "base/log.h"
#include "data/vector_counts.h"

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

Expiry::Expiry(const DataDeps& deps, snapshot::SlotKey<CollectionTable> slot, ProjectNumbers projects)
    : deps_(deps), slot_(slot), projects_(std::move(projects)) {}

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
  Removed sum;
  for (int queries = 0; queries < kQueriesPerPass && !passes_.stopping(); ++queries) {
    store::Query query;
    query.collection = collection;
    query.filter = filter;
    query.skip = sum.restricted;  // those are still there
    query.limit = kPerQuery;
    query.projection = store::Projection::ids;
    query.deadline = std::chrono::steady_clock::now() + kDeadline;
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
    if (found.documents.empty()) break;
    // Which collections refer to this one is known by the snapshot, which is loaded only where something has expired.
    CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(collection.project));
    if (!project) break;
    const CollectionPtr current = project->get(slot_).numbered(collection.number);
    if (!current) break;
    TableFinder finder(project->get(slot_));
    std::vector<std::string> ids;
    for (size_t i = 0; i < found.documents.size() && !passes_.stopping(); ++i) {
      ids.emplace_back(found.documents[i].view().stringOr("id"));
      if (ids.size() < kPerCommit && i + 1 < found.documents.size()) continue;
      CO_TRY(const Removed some, co_await removeExpired(*current, finder, std::exchange(ids, {}), filter));
      sum.removed += some.removed;
      sum.restricted += some.restricted;
    }
    if (found.documents.size() < kPerQuery) break;
  }
  co_return sum.removed;
}

Task<Expiry::Removed> Expiry::removeExpired(const Collection& collection, CollectionFinder& finder,
                                            std::vector<std::string> ids, doc::Filter filter) {
  Deletion deletion;
  if (!collection.referrers.empty()) {
    CO_TRY(deletion, co_await Deletion::of(deps_, finder, collection, ""));
  }
  Removed sum;
  auto all = co_await removeNow(deletion, collection, ids, filter);
  if (all) {
    sum.removed = *all;
    co_return sum;
  }
  if (!store::refusedCondition(all.error())) co_return fail(std::move(all).error());
  for (std::string& id : ids) {
    const std::vector<std::string> one{std::move(id)};
    auto removed = co_await removeNow(deletion, collection, one, filter);
    if (!removed && !store::refusedCondition(removed.error())) co_return fail(std::move(removed).error());
    ++(removed ? sum.removed : sum.restricted);
  }
  co_return sum;
}

Task<uint64_t> Expiry::removeNow(const Deletion& deletion, const Collection& collection,
                                 const std::vector<std::string>& ids, const doc::Filter& filter) {
  store::WriteOptions options;
  options.deadline = std::chrono::steady_clock::now() + kDeadline;
  options.actor = {store::ActorKind::server, ""};
  options.priority = store::WritePriority::low;
  store::Write write(std::move(options));
  std::vector<Deletion::Removal> due;
  for (const std::string& id : ids) {
    CO_TRY(Deletion::Removal each, deletion.name(write, collection.ref, id));
    due.push_back(std::move(each));
  }
  VectorRows vectors(collection);
  for (size_t i = 0; i < ids.size(); ++i) vectors.name(write, due[i].document, ids[i]);
  CO_TRY(const uint64_t removed,
         co_await store::writeReturning(
             deps_.store, std::move(write),
             [&due = std::as_const(due), &filter = std::as_const(filter), &vectors = std::as_const(vectors)](
                 const store::PreImages& before, store::Changes& changes) -> Result<uint64_t> {
               uint64_t gone = 0;
               for (const Deletion::Removal& each : due) {
                 if (!before[each.document] || !filter.matches(*before[each.document])) continue;
                 Deletion::remove(each, changes);
                 ++gone;
               }
               vectors.follow(before, changes);
               return gone;
             }));
  deletion.wake(due);
  co_return removed;
}

}  // namespace mb::data
