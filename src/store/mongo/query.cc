// Reads. The server evaluates what it evaluates as we do (pushed_filter.h), in the order of the query; the engine
// evaluates the rest on what it returns.
#include "base/work_budget.h"
#include "document/fields.h"
#include "store/mongo/attempt.h"
#include "store/mongo/commands.h"
#include "store/mongo/engine.h"
#include "store/mongo/explain.h"
#include "store/mongo/page_filter.h"
#include "store/mongo/pushed_filter.h"
#include "store/mongo/query_command.h"
#include "store/mongo/query_page.h"
#include "store/plain_sort.h"

namespace mb::store::mongo {

namespace {

void appendSort(doc::BsonWriter& out, const std::vector<SortKey>& sort) {
  out.beginDocument("sort");
  bool ordered = false;
  for (const SortKey& key : sort) {
    out.appendInt32(storedPath(key.path), key.direction);
    ordered = key.path == "id";
    if (ordered) break;  // ids are unique
  }
  if (!ordered) out.appendInt32("_id", 1);
  out.end();
}

}  // namespace

// How a query is performed.
struct QueryPlan {
  std::string collection;              // its name on the server
  std::optional<doc::Document> after;  // where the page begins
  PushedFilter pushed;
  bool exact = false;   // the server returns the documents of the page, and no others
  uint64_t wanted = 0;  // documents

  // `single`: the server keeps no cursor.
  doc::Document command(const Query& query, uint64_t limit, Deadline deadline, bool single = false) const {
    doc::BsonWriter out;
    out.appendString("find", collection);
    out.appendDocument("filter", pushed.document);
    appendSort(out, query.sort);
    if (exact && query.skip > 0)
      out.appendInt64("skip", static_cast<int64_t>(std::min<uint64_t>(query.skip, INT64_MAX)));
    if (limit < INT64_MAX) out.appendInt64("limit", static_cast<int64_t>(limit));
    out.appendInt32("batchSize", static_cast<int32_t>(std::clamp<uint64_t>(wanted, 1, kMaxBatch)));
    if (single) out.appendBool("singleBatch", true);
    out.appendInt64("maxTimeMS", remainingMs(deadline));
    return out.finish();
  }
  // Without documents. `query` outlives it.
  QueryPage page(const Query& query) const {
    PageOrder order{sorting::isOfIds(query.sort) ? std::vector<SortKey>() : query.sort, after};
    return {query, std::move(order), pushed.exact, exact ? query.skip : 0};
  }
};

namespace {

Result<QueryPlan> planOf(const Query& query) {
  QueryPlan plan;
  plan.collection = Names::collectionOf(query.collection.number);
  TRY(plan.after, startOf(query));
  std::vector<doc::Document> more;
  if (plan.after) more.push_back(afterPosition(query.sort, *plan.after, query.collection));
  plan.pushed = pushFilter(query.collection, query.filter, std::move(more));
  // A page in the order of ids begins exactly where the server begins it.
  plan.exact = plan.pushed.exact && (!plan.after || sorting::isOfIds(query.sort));
  const uint64_t beyond = query.paged && query.seesMore ? 1 : 0;
  plan.wanted = query.limit > UINT64_MAX - 1 - query.skip ? UINT64_MAX : query.limit + beyond;
  return plan;
}

// When a query that begins now ends.
Deadline endOf(const Query& query) {
  return std::min(orDefault(query.deadline), std::chrono::steady_clock::now() + kQueryTime);
}

Result<bool> addStored(QueryPage& page, const CollectionRef& collection, doc::DocumentView stored) {
  TRY(Unstored read, unstored(collection.number, stored));
  return page.add(std::move(read.document), std::string(idOf(collection.number, stored.stringOr("_id"))));
}

}  // namespace

std::function<Outcome<doc::Document>(doc::DocumentView)> Engine::readingOf(Connection& connection,
                                                                           const CollectionRef& collection) const {
  return [&connection, database = names_.databaseOf(collection.project, collection.number)](doc::DocumentView command) {
    return connection.read(database, command);
  };
}

Result<bool> Engine::exists(Connection& connection, const CollectionRef& collection) {
  auto state = states_.state(connection, collection.project);
  if (!state) return fail(unavailableError(state.error()));
  if (!*state || (*state)->head.dead) return false;
  if (isSystem(collection.number)) return states_.system(collection.number) != nullptr;
  if ((*state)->collections.contains(collection.number)) return true;
  // Another instance may have created it.
  state = states_.reload(connection, collection.project);
  if (!state) return fail(unavailableError(state.error()));
  return *state && (*state)->collections.contains(collection.number);
}

bool Engine::isKnown(const CollectionRef& collection) const {
  const ProjectStatePtr state = states_.known(collection.project);
  if (!state || state->head.dead) return false;
  if (isSystem(collection.number)) return states_.system(collection.number) != nullptr;
  return state->collections.contains(collection.number);
}

Task<std::optional<VersionedDocument>> Engine::getVersioned(CollectionRef collection, std::string id,
                                                            ReadOptions options) {
  co_return co_await reads_.get(collection, storedId(collection.project, collection.number, id),
                                orDefault(options.deadline));
}

Result<std::map<std::string, VersionedDocument>> Engine::readByIds(Connection& connection,
                                                                   const CollectionRef& collection,
                                                                   const std::vector<std::string>& ids,
                                                                   Deadline deadline) {
  std::map<std::string, VersionedDocument> found;
  TRY(const bool there, exists(connection, collection));
  if (!there) return found;
  const std::string name = Names::collectionOf(collection.number);
  const doc::Document command =
      findByIds(name, ids, [&](doc::BsonWriter& more) { more.appendInt64("maxTimeMS", remainingMs(deadline)); });
  Result<> kept;
  const auto read = eachDocument(readingOf(connection, collection), name, command, [&](doc::DocumentView each) {
    auto document = unstored(collection.number, each);
    if (!document) {
      kept = fail(std::move(document).error());
      return false;
    }
    const DocumentVersion version = isSystem(collection.number) ? 0 : document->version;
    found.emplace(each.stringOr("_id"), VersionedDocument{std::move(document->document), version});
    return true;
  });
  if (!read) return fail(queryError(read.error()));
  if (!kept) return fail(std::move(kept).error());
  return found;
}

Task<std::optional<doc::Document>> Engine::get(CollectionRef collection, std::string id, ReadOptions options) {
  CO_TRY(std::optional<VersionedDocument> found, co_await getVersioned(collection, std::move(id), options));
  if (!found) co_return std::nullopt;
  co_return std::move(found->document);
}

Task<std::vector<std::optional<doc::Document>>> Engine::getMany(CollectionRef collection, std::vector<std::string> ids,
                                                                std::shared_ptr<const doc::FieldSet> hidden,
                                                                ReadOptions options) {
  using Many = std::vector<std::optional<doc::Document>>;
  const Deadline deadline = orDefault(options.deadline);
  co_return co_await pool_.run(collection.project, deadline, [=, this](Connection& connection) -> Result<Many> {
    Many out(ids.size());
    std::vector<std::string> stored;
    for (const std::string& id : ids) stored.push_back(storedId(collection.project, collection.number, id));
    std::vector<std::string> distinct = stored;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::map<std::string, VersionedDocument> found;
    for (size_t from = 0; from < distinct.size(); from += kCommandStatements) {
      const auto begin = distinct.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kCommandStatements, distinct.size() - from));
      TRY(auto some, readByIds(connection, collection, {begin, end}, deadline));
      if (hidden) {
        for (auto& [_, each] : some) each.document = hidden->strip(each.document);
      }
      found.merge(some);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto document = found.find(stored[i]);
      if (document == found.end()) continue;
      bytes += document->second.document.size();
      if (bytes > kMaxResultBytes) return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB");
      out[i] = document->second.document;
    }
    return out;
  });
}

Task<QueryResult> Engine::find(Query query) {
  if (query.projection == Projection::unorderedIds) {
    QueryResult unknown;
    unknown.known = false;
    co_return unknown;
  }
  for (const SortKey& key : query.sort) CO_RETURN_IF_ERROR(doc::FieldPath::parse(key.path));
  const ProjectNo project = query.collection.project;
  const Deadline deadline = orDefault(query.deadline);
  CO_TRY(QueryPlan planned, planOf(query));
  const auto plan = std::make_shared<const QueryPlan>(std::move(planned));
  const auto shared = std::make_shared<const Query>(std::move(query));
  CO_TRY(std::optional<QueryResult> direct, co_await findDirectly(shared, plan));
  if (direct) co_return *std::move(direct);
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  co_return co_await pool_.run(project, deadline, [this, shared, plan, &left](Connection& connection) {
    return runQuery(connection, *shared, *plan, left);
  });
}

Task<std::optional<QueryResult>> Engine::findDirectly(std::shared_ptr<const Query> query,
                                                      std::shared_ptr<const QueryPlan> plan) {
  constexpr uint64_t kDocuments = 200;
  // The server ends a batch before 16 MB.
  constexpr size_t kMayBeIncomplete = 8 << 20;
  const CollectionRef& collection = query->collection;
  const bool isShort = query->limit > 0 && query->limit <= kDocuments && !query->explain;
  if (!isShort || !plan->exact || !isKnown(collection)) co_return std::nullopt;
  const Deadline deadline = endOf(*query);
  CO_TRY(const auto reply,
         co_await direct_.read(names_.databaseOf(collection.project, collection.number),
                               plan->command(*query, plan->wanted, deadline, /*single=*/true), deadline));
  if (!reply) co_return std::nullopt;
  const Batch batch = batchOf(reply->view());
  if (batch.cursor != 0 || reply->view().bytes().size() > kMayBeIncomplete) co_return std::nullopt;
  QueryPage page = plan->page(*query);
  for (const doc::DocumentView each : batch.documents) {
    CO_TRY(const bool more, addStored(page, collection, each));
    if (!more) break;
  }
  co_return page.take();
}

Result<QueryResult> Engine::runQuery(Connection& connection, const Query& query, const QueryPlan& plan,
                                     const CancellationFlag& left) {
  const auto began = std::chrono::steady_clock::now();
  const Deadline deadline = endOf(query);
  const CollectionRef& collection = query.collection;
  TRY(const bool there, exists(connection, collection));
  if (!there || query.limit == 0) return QueryResult();

  const uint64_t limit = plan.exact ? plan.wanted : UINT64_MAX;
  QueryPage page = plan.page(query);
  Result<> added;
  uint64_t returned = 0;
  bool complete = false;
  const WorkBudget work(kQueryWork);
  const auto read = eachDocument(readingOf(connection, collection), plan.collection,
                                 plan.command(query, limit, deadline), [&](doc::DocumentView each) {
                                   if (std::chrono::steady_clock::now() >= deadline) added = fail(tooSlow());
                                   if (left.isSet()) added = clientLeft();
                                   if (!added) return false;
                                   ++returned;
                                   Result<bool> goesOn = addStored(page, collection, each);
                                   if (WorkBudget::exceeded()) goesOn = tooCostly();
                                   if (!goesOn) {
                                     added = fail(std::move(goesOn).error());
                                     return false;
                                   }
                                   complete = !*goesOn;
                                   return *goesOn;
                                 });
  if (!read) return fail(queryError(read.error()));
  if (!added) return fail(std::move(added).error());
  QueryResult result = page.take();
  if (!query.explain) return result;
  const auto took = std::chrono::steady_clock::now() - began;
  // Of a page that was complete before the server had returned everything: as far as it was read.
  TRY(result.explain, explained(connection, collection, plan.command(query, complete ? returned : limit, deadline)));
  result.explain.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  return result;
}

Result<Explain> Engine::explained(Connection& connection, const CollectionRef& collection, const doc::Document& find) {
  const ProjectStatePtr state = states_.known(collection.project);
  std::shared_ptr<const CollectionInfo> info;
  if (state && state->collections.contains(collection.number)) info = state->collections.at(collection.number);
  const auto reply = connection.run(names_.databaseOf(collection.project, collection.number), explainCommand(find));
  if (!reply) return fail(queryError(reply.error()));
  auto explain = explainOf(*reply, info.get());
  if (!explain) return fail(queryError(explain.error()));
  return *std::move(explain);
}

Task<uint64_t> Engine::count(CollectionRef collection, doc::Filter filter, Deadline given) {
  const Deadline deadline = orDefault(given);
  if (filter.matchesAll() && isCounted(states_, collection.number)) {
    CO_TRY(const CollectionStats all, co_await stats(collection, {deadline}));
    co_return all.documents;
  }
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  co_return co_await pool_.run(
      collection.project, deadline,
      [this, collection, filter = std::move(filter), deadline, &left](Connection& connection) -> Result<uint64_t> {
        TRY(const bool there, exists(connection, collection));
        if (!there) return 0;
        const PushedFilter pushed = pushFilter(collection, filter);
        const std::string name = Names::collectionOf(collection.number);
        const std::string database = names_.databaseOf(collection.project, collection.number);
        if (!pushed.exact) {
          Query query;
          query.collection = collection;
          query.filter = filter;
          query.limit = UINT64_MAX;
          query.deadline = deadline;
          query.projection = Projection::ids;
          query.maxBytes = SIZE_MAX;
          TRY(const QueryPlan plan, planOf(query));
          TRY(const QueryResult found, runQuery(connection, query, plan, left));
          return found.documents.size();
        }
        const doc::Document command = countCommand(
            name, pushed.document, [&](doc::BsonWriter& out) { out.appendInt64("maxTimeMS", remainingMs(deadline)); });
        const auto reply = connection.read(database, command);
        if (!reply) return fail(queryError(reply.error()));
        const Batch batch = batchOf(*reply);
        return batch.documents.empty() ? 0 : static_cast<uint64_t>(doc::integerOr(batch.documents.front(), "n"));
      });
}

Result<std::optional<doc::Document>> Engine::readRow(Connection& connection, std::string_view rows,
                                                     const std::string& id) {
  const auto reply = connection.read(names_.shared(), findByIds(rows, std::span(&id, 1)));
  if (!reply) return fail(unavailableError(reply.error()));
  const Batch batch = batchOf(*reply);
  if (batch.documents.empty()) return std::nullopt;
  return doc::Document(batch.documents.front());
}

namespace {

CollectionStats statsOf(const std::optional<doc::Document>& count) {
  if (!count) return {};
  return {static_cast<uint64_t>(doc::integerOr(*count, "n")), static_cast<uint64_t>(doc::integerOr(*count, "bytes"))};
}

}  // namespace

Result<CollectionStats> Engine::counted(Connection& connection, const CollectionRef& collection,
                                        std::string_view group) {
  TRY(const auto count, readRow(connection, kCounts, countId(collection.project, collection.number, group)));
  return statsOf(count);
}

Result<CollectionStats> Engine::summed(Connection& connection, const CollectionRef& collection) {
  doc::BsonWriter ours;
  ours.appendInt64("_p", collection.project);
  const doc::Document command = sumCommand(Names::collectionOf(collection.number), ours.finish());
  const auto reply = connection.read(names_.shared(), command);
  if (!reply) return fail(unavailableError(reply.error()));
  const Batch batch = batchOf(*reply);
  if (batch.documents.empty()) return CollectionStats{};
  return statsOf(doc::Document(batch.documents.front()));
}

Task<CollectionStats> Engine::stats(CollectionRef collection, ReadOptions options) {
  co_return co_await pool_.run(collection.project, orDefault(options.deadline),
                               [this, collection](Connection& connection) -> Result<CollectionStats> {
                                 TRY(const bool there, exists(connection, collection));
                                 if (!there) return CollectionStats{};
                                 if (!isCounted(states_, collection.number)) return summed(connection, collection);
                                 return counted(connection, collection, "");
                               });
}

Task<CollectionStats> Engine::statsByField(CollectionRef collection, std::string value, ReadOptions options) {
  co_return co_await pool_.run(
      collection.project, orDefault(options.deadline),
      [this, collection, value = std::move(value)](Connection& connection) -> Result<CollectionStats> {
        const SystemCollection* system = states_.system(collection.number);
        if (value.empty() || system == nullptr || system->countedBy.empty()) return CollectionStats{};
        TRY(const bool there, exists(connection, collection));
        if (!there) return CollectionStats{};
        return counted(connection, collection, value);
      });
}

// The server says what indexes take, not how many entries they have.
std::vector<IndexUsage> Engine::indexUsage(Connection& connection, ProjectNo project, const CollectionInfo& info,
                                           uint64_t documents) const {
  std::vector<IndexUsage> indexes;
  if (info.indexes.empty()) return indexes;
  doc::BsonWriter out;
  out.appendString("collStats", Names::collectionOf(info.number));
  const auto stats = connection.run(names_.databaseOf(project, info.number), out.finish());
  const doc::DocumentView sizes = stats ? doc::containerOr(stats->view(), "indexSizes") : doc::DocumentView();
  for (const IndexInfo& each : info.indexes) {
    const int64_t bytes = doc::integerOr(sizes, fmt::format("i{}", each.number));
    indexes.push_back({each.number, documents, static_cast<uint64_t>(std::max<int64_t>(0, bytes)), true});
  }
  return indexes;
}

Task<std::vector<CollectionUsage>> Engine::usage(ProjectNo project, ReadOptions options) {
  using All = std::vector<CollectionUsage>;
  co_return co_await pool_.run(
      project, orDefault(options.deadline), [this, project](Connection& connection) -> Result<All> {
        All all;
        auto state = states_.reload(connection, project);
        if (!state) return fail(unavailableError(state.error()));
        if (!*state || (*state)->head.dead) return all;
        std::vector<std::string> ids;
        for (const auto& [number, _] : (*state)->collections) ids.push_back(countId(project, number, ""));
        std::map<std::string, doc::Document> counts;
        const auto reading = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
        for (size_t from = 0; from < ids.size(); from += kCommandStatements) {
          const auto some = std::span(ids).subspan(from, std::min(kCommandStatements, ids.size() - from));
          const auto read = eachDocument(reading, kCounts, findByIds(kCounts, some), [&](doc::DocumentView row) {
            counts.emplace(row.stringOr("_id"), row);
            return true;
          });
          if (!read) return fail(unavailableError(read.error()));
        }
        for (const auto& [number, info] : (*state)->collections) {
          CollectionUsage usage{number, {}, {}, {}};
          if (const auto count = counts.find(countId(project, number, "")); count != counts.end()) {
            usage.stats = statsOf(count->second);
            const auto at = count->second.view().find("at");
            if (at && at->type() == doc::BsonType::date) usage.lastWrite = at->asDate();
          }
          usage.indexes = indexUsage(connection, project, *info, usage.stats.documents);
          all.push_back(std::move(usage));
        }
        return all;
      });
}

Task<int64_t> Engine::counter(CounterKey key) {
  co_return co_await pool_.run(key.project, orDefault({}), [this, key](Connection& connection) -> Result<int64_t> {
    auto state = states_.state(connection, key.project);
    if (!state) return fail(unavailableError(state.error()));
    if (!*state || (*state)->head.dead) return 0;
    TRY(const auto row, readRow(connection, kCounters, counterId(key)));
    return row ? doc::integerOr(*row, "n") : 0;
  });
}

}  // namespace mb::store::mongo
