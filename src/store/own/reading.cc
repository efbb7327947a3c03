#include "store/own/reading.h"

#include "base/work_budget.h"
#include "document/fields.h"
#include "document/value_order.h"
#include "store/mongo/commands.h"
#include "store/mongo/page_filter.h"
#include "store/mongo/pushed_filter.h"
#include "store/mongo/query_command.h"
#include "store/mongo/query_page.h"

namespace mb::store::own {

namespace {

using doc::BsonType;
using doc::FilterNode;
using doc::FilterOp;
using mongo::kMaxBatch;

// The beginning of a place in the order of `_id` that is neither a cover nor an id: an `_id`, as BSON in base64url.
constexpr std::string_view kPlacePrefix = "~";
constexpr std::string_view kIdPattern = "^[A-Za-z0-9_-]{1,64}$";

Deadline orDefault(Deadline deadline) {
  const Deadline latest = std::chrono::steady_clock::now() + mongo::kQueryTime;
  return deadline == Deadline() ? latest : std::min(deadline, latest);
}

Error readError(const Collection& collection, const mongo::CommandError& error) {
  Error read = mongo::queryError(error);
  return read.code() == ErrorCode::unavailable && !error.isTime() ? collection.database->failedToRead(error)
                                                                  : std::move(read);
}

doc::Value idValue(BsonType type, std::string_view bytes) {
  return doc::Value(doc::ValueView(type, bytes.data(), bytes.size()));
}

// Documents are stored under their own field names; an id is in `id` or leads to `_id`.
class ForeignForm final : public mongo::StoredForm {
 public:
  explicit ForeignForm(Cover& cover) : cover_(cover) {}

  std::string path(std::string_view path) const override { return std::string(path); }

  Node ofId(const FilterNode& condition, bool& exact) const override {
    const bool equals = condition.op == FilterOp::eq || (condition.op == FilterOp::in && condition.patterns.empty());
    if (!equals) return std::make_shared<const FilterNode>(condition);
    // The document that is found may have another id of its own.
    exact = false;
    std::vector<doc::Value> keys;
    const auto add = [&](const doc::Value& id) {
      keys.push_back(id);
      if (id.type() != BsonType::string) return;
      if (const auto objectId = cover_.objectIdOf(id.view().asString())) {
        keys.push_back(idValue(BsonType::objectId, *objectId));
      }
    };
    if (condition.op == FilterOp::eq) add(condition.operand);
    for (const doc::Value& each : condition.operands) add(each);
    std::ranges::sort(keys, [](const doc::Value& a, const doc::Value& b) { return doc::compareValues(a, b) < 0; });
    FilterNode any;
    any.op = FilterOp::any;
    any.children.push_back(std::make_shared<const FilterNode>(condition));
    FilterNode byKey;
    byKey.op = FilterOp::in;
    auto parsed = doc::FieldPath::parse("_id");
    if (!parsed) return nullptr;
    byKey.path = *std::move(parsed);
    byKey.operands = std::move(keys);
    any.children.push_back(std::make_shared<const FilterNode>(std::move(byKey)));
    return std::make_shared<const FilterNode>(std::move(any));
  }

 private:
  Cover& cover_;
};

// Matches documents that are not hidden.
doc::Document addressable() {
  doc::BsonWriter out;
  out.beginArray("$or");
  out.beginDocument("0");
  out.beginDocument("_id");
  out.appendString("$type", "objectId");
  out.end();
  out.end();
  for (const auto& [key, path] : {std::pair("1", "id"), std::pair("2", "_id")}) {
    out.beginDocument(key);
    out.beginDocument(path);
    out.appendString("$regex", kIdPattern);
    out.end();
    out.end();
  }
  out.end();
  return out.finish();
}

// What QueryResult::next is after a document, in the order of `_id`.
std::string placeOf(std::string_view stored, Cover& cover) {
  const auto key = elementOf(stored, "_id");
  if (!key) return {};
  if (key->is(BsonType::objectId)) return cover.of(key->value);
  doc::BsonWriter out;
  doc::appendShown(out, "is", *key);
  return std::string(kPlacePrefix) + toBase64Url(out.finish().bytes());
}

// {is: <_id>} of the place.
Result<doc::Document> keyAt(const Reading& read, const Collection& collection, Cover& cover, const std::string& place,
                            Deadline deadline) {
  doc::BsonWriter out;
  if (const auto objectId = cover.objectIdOf(place)) {
    out.appendObjectId("is", *objectId);
    return out.finish();
  }
  if (place.starts_with(kPlacePrefix)) {
    const auto bytes = fromBase64Url(std::string_view(place).substr(kPlacePrefix.size()));
    auto key = bytes ? doc::Document::fromUntrusted(*bytes) : fail(ErrorCode::invalidParam, "");
    if (key && key->view().find("is")) return key;
    return fail(ErrorCode::invalidParam, "the page does not begin in this order");
  }
  TRY(auto found, readByIds(read, collection, std::span(&place, 1), deadline));
  if (!found.front()) return fail(ErrorCode::invalidParam, "the document after which the page begins does not exist");
  doc::appendShown(out, "is", *elementOf(found.front()->stored, "_id"));
  return out.finish();
}

class PageReader {
 public:
  PageReader(mongo::Connection& connection, const Collection& collection, const Query& query)
      : connection_(connection),
        collection_(collection),
        query_(query),
        cover_(collection.database->coverKey()),
        deadline_(orDefault(query.deadline)),
        read_([this](doc::DocumentView command) { return connection_.read(collection_.database->name(), command); }) {}

  Result<QueryResult> run() {
    if (query_.limit == 0) return QueryResult();
    const auto began = std::chrono::steady_clock::now();
    std::vector<SortKey> keys = query_.sort;
    keys.push_back({"_id", 1});
    mongo::PageOrder order;
    order.idsAreUnique = false;
    TRY(std::vector<doc::Document> more, start(keys, order));
    more.push_back(addressable());
    if (!query_.sort.empty()) order.sort = keys;
    const mongo::PushedFilter pushed = mongo::pushFilter(ForeignForm(cover_), query_.filter, std::move(more));
    const bool exact = pushed.exact && !order.after;
    mongo::QueryPage page(query_, std::move(order), pushed.exact, exact ? query_.skip : 0);
    RETURN_IF_ERROR(readInto(page, command(keys, pushed.document, exact)));
    QueryResult result = page.take();
    const auto took = std::chrono::steady_clock::now() - began;
    result.explain.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
    return result;
  }

 private:
  // The conditions by which the page begins where it is to; sets the order's `after`.
  Result<std::vector<doc::Document>> start(const std::vector<SortKey>& keys, mongo::PageOrder& order) {
    std::vector<doc::Document> more;
    if (query_.after.empty()) return more;
    if (!query_.sort.empty()) {
      TRY(order.after, mongo::positionOf(keys, query_.after));
      more.push_back(mongo::afterValues(keys, doc::containerOr(*order.after, "v")));
      return more;
    }
    TRY(const doc::Document key, keyAt(read_, collection_, cover_, query_.after, deadline_));
    doc::BsonWriter values;
    values.appendDocument("0", key);
    more.push_back(mongo::afterValues(keys, values.finish()));
    return more;
  }

  doc::Document command(const std::vector<SortKey>& keys, const doc::Document& filter, bool exact) const {
    const uint64_t beyond = query_.paged && query_.seesMore ? 1 : 0;
    const bool all = query_.limit > UINT64_MAX - 1 - query_.skip;
    const uint64_t wanted = all ? UINT64_MAX : query_.limit + beyond;
    doc::BsonWriter out;
    out.appendString("find", collection_.name);
    out.appendDocument("filter", filter);
    out.beginDocument("sort");
    for (const SortKey& key : keys) out.appendInt32(key.path, key.direction);
    out.end();
    if (exact && query_.skip > 0) {
      out.appendInt64("skip", static_cast<int64_t>(std::min<uint64_t>(query_.skip, INT64_MAX)));
    }
    if (exact && wanted < INT64_MAX) out.appendInt64("limit", static_cast<int64_t>(wanted));
    out.appendInt32("batchSize", static_cast<int32_t>(std::clamp<uint64_t>(wanted, 1, kMaxBatch)));
    out.appendInt64("maxTimeMS", mongo::remainingMs(deadline_));
    appendCollation(out);
    return out.finish();
  }

  Result<> readInto(mongo::QueryPage& page, const doc::Document& command) {
    const WorkBudget work(mongo::kQueryWork);
    Result<> added;
    const auto read = mongo::eachDocument(read_, collection_.name, command, [&](doc::DocumentView each) {
      if (std::chrono::steady_clock::now() >= deadline_) added = fail(mongo::tooSlow());
      if (!added) return false;
      Result<bool> next = add(page, each.bytes());
      if (WorkBudget::exceeded()) next = tooCostly();
      if (next) return *next;
      added = fail(std::move(next).error());
      return false;
    });
    if (!read) return fail(readError(collection_, read.error()));
    return added;
  }

  Result<bool> add(mongo::QueryPage& page, std::string_view stored) {
    auto document = shown(stored, cover_);
    if (!document) return true;
    if (query_.sort.empty()) return page.add(*std::move(document), placeOf(stored, cover_));
    const doc::Document keyed = sortable(stored);
    return page.add(*std::move(document), "", &keyed);
  }

  mongo::Connection& connection_;
  const Collection& collection_;
  const Query& query_;
  Cover cover_;
  const Deadline deadline_;
  const Reading read_;
};

Result<> checkQuery(const doc::Filter& filter, const std::vector<SortKey>& sort) {
  for (const std::string& path : filter.paths()) RETURN_IF_ERROR(checkPath(path));
  for (const SortKey& key : sort) {
    RETURN_IF_ERROR(checkPath(key.path));
    RETURN_IF_ERROR(doc::FieldPath::parse(key.path));
  }
  return {};
}

Result<uint64_t> countNow(mongo::Connection& connection, const Collection& collection, const doc::Filter& filter,
                          Deadline deadline) {
  Cover cover(collection.database->coverKey());
  const mongo::PushedFilter pushed = mongo::pushFilter(ForeignForm(cover), filter, {addressable()});
  if (!pushed.exact) {
    Query query;
    query.filter = filter;
    query.limit = UINT64_MAX;
    query.deadline = deadline;
    query.projection = Projection::ids;
    query.maxBytes = SIZE_MAX;
    TRY(const QueryResult found, PageReader(connection, collection, query).run());
    return found.documents.size();
  }
  const doc::Document command = mongo::countCommand(collection.name, pushed.document, [&](doc::BsonWriter& out) {
    out.appendInt64("maxTimeMS", mongo::remainingMs(deadline));
    appendCollation(out);
  });
  const auto reply = connection.read(collection.database->name(), command);
  if (!reply) return fail(readError(collection, reply.error()));
  const mongo::Batch batch = mongo::batchOf(*reply);
  return batch.documents.empty() ? 0 : static_cast<uint64_t>(doc::integerOr(batch.documents.front(), "n"));
}

}  // namespace

void appendCollation(doc::BsonWriter& out) {
  out.beginDocument("collation");
  out.appendString("locale", "simple");
  out.end();
}

Result<> checkPath(std::string_view path) {
  if (path != "_id" && !path.starts_with("_id.")) return {};
  return fail(ErrorCode::invalidFilter, "\"_id\" belongs to the project's database: use \"id\"");
}

Result<std::vector<std::optional<StoredDocument>>> readByIds(const Reading& read, const Collection& collection,
                                                             std::span<const std::string> ids, Deadline deadline) {
  std::vector<std::optional<StoredDocument>> out(ids.size());
  if (ids.empty()) return out;
  Cover cover(collection.database->coverKey());
  std::vector<std::string> objectIds;
  std::vector<std::string_view> others;
  for (const std::string& id : ids) {
    if (auto objectId = cover.objectIdOf(id))
      objectIds.push_back(*std::move(objectId));
    else
      others.push_back(id);
  }
  doc::BsonWriter command;
  command.appendString("find", collection.name);
  command.beginDocument("filter");
  command.beginArray("$or");
  command.beginDocument("0");
  command.beginDocument("_id");
  command.beginArray("$in");
  size_t at = 0;
  for (const std::string& each : objectIds) command.appendObjectId(doc::arrayKey(at++), each);
  for (const std::string_view each : others) command.appendString(doc::arrayKey(at++), each);
  command.end();
  command.end();
  command.end();
  if (!others.empty()) {
    command.beginDocument("1");
    command.beginDocument("id");
    command.beginArray("$in");
    for (size_t i = 0; i < others.size(); ++i) command.appendString(doc::arrayKey(i), others[i]);
    command.end();
    // So that a partial index serves it.
    command.appendString("$type", "string");
    command.end();
    command.end();
  }
  command.end();
  command.end();
  command.appendInt32("batchSize", static_cast<int32_t>(mongo::kMaxBatch));
  command.appendInt64("maxTimeMS", mongo::remainingMs(deadline));
  appendCollation(command);
  std::map<std::string, StoredDocument> found;
  const auto done = mongo::eachDocument(read, collection.name, command.finish(), [&](doc::DocumentView each) {
    auto document = shown(each.bytes(), cover);
    if (!document) return true;
    std::string id(document->view().stringOr("id"));
    found.try_emplace(std::move(id), StoredDocument{std::string(each.bytes()), *std::move(document)});
    return true;
  });
  if (!done) return fail(readError(collection, done.error()));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto document = found.find(ids[i]);
    if (document != found.end()) out[i] = document->second;
  }
  return out;
}

Task<std::vector<std::optional<StoredDocument>>> getStored(Collection collection, std::vector<std::string> ids,
                                                           Deadline given) {
  using Many = std::vector<std::optional<StoredDocument>>;
  const Deadline deadline = orDefault(given);
  const std::shared_ptr<Database> database = collection.database;
  co_return co_await database->run(deadline,
                                   [collection = std::move(collection), ids = std::move(ids),
                                    deadline](mongo::Connection& connection) -> Result<Many> {
                                     const Reading read = [&](doc::DocumentView command) {
                                       return connection.read(collection.database->name(), command);
                                     };
                                     return readByIds(read, collection, ids, deadline);
                                   });
}

Task<QueryResult> find(Collection collection, Query query) {
  if (query.projection == Projection::unorderedIds) {
    QueryResult unknown;
    unknown.known = false;
    co_return unknown;
  }
  CO_RETURN_IF_ERROR(checkQuery(query.filter, query.sort));
  const std::shared_ptr<Database> database = collection.database;
  const Deadline deadline = orDefault(query.deadline);
  co_return co_await database->run(deadline,
                                   [collection = std::move(collection),
                                    query = std::move(query)](mongo::Connection& connection) -> Result<QueryResult> {
                                     return PageReader(connection, collection, query).run();
                                   });
}

Task<uint64_t> count(Collection collection, doc::Filter filter, Deadline given) {
  CO_RETURN_IF_ERROR(checkQuery(filter, {}));
  const Deadline deadline = orDefault(given);
  const std::shared_ptr<Database> database = collection.database;
  co_return co_await database->run(deadline,
                                   [collection = std::move(collection), filter = std::move(filter),
                                    deadline](mongo::Connection& connection) -> Result<uint64_t> {
                                     return countNow(connection, collection, filter, deadline);
                                   });
}

Task<CollectionStats> stats(Collection collection, Deadline given) {
  const Deadline deadline = orDefault(given);
  const std::shared_ptr<Database> database = collection.database;
  co_return co_await database->run(
      deadline,
      [collection = std::move(collection), deadline](mongo::Connection& connection) -> Result<CollectionStats> {
        CollectionStats stats;
        TRY(stats.documents, countNow(connection, collection, doc::Filter(), deadline));
        doc::BsonWriter out;
        out.appendString("collStats", collection.name);
        const auto reply = connection.run(collection.database->name(), out.finish());
        if (!reply) return fail(readError(collection, reply.error()));
        stats.bytes = static_cast<uint64_t>(std::max<int64_t>(0, doc::integerOr(*reply, "size")));
        return stats;
      });
}

Result<bool> hasUniqueIds(mongo::Connection& connection, const Collection& collection) {
  const auto found = hasIdIndex(connection, collection.database->name(), collection.name);
  if (!found) return fail(readError(collection, found.error()));
  return *found;
}

}  // namespace mb::store::own
