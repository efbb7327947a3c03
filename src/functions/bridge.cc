#include "functions/bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "data/missing_collections.h"
#include "data/query_request.h"
#include "document/path.h"
#include "functions/call_arguments.h"

namespace mb::functions {

namespace {

using data::kMaxSortKeys;

// The documents that a call is about.
struct Selection {
  std::string collection;
  doc::Document filter;
};
// required: for calls that change documents, so that a forgotten argument does not change all of them.
enum class FilterRule { optional, required };

class Arguments : public CallArguments {
 public:
  using CallArguments::CallArguments;

  // The first two arguments of a call that takes at most `count`.
  Result<Selection> selection(size_t count, FilterRule rule) const {
    RETURN_IF_ERROR(atMost(count));
    TRY(std::string collection, text(0, "collection"));
    TRY(doc::Document filter, rule == FilterRule::required ? needed(1, "filter") : objectOrEmpty(1, "filter"));
    return Selection{std::move(collection), std::move(filter)};
  }
};

Result<> addSortKeys(doc::DocumentView given, std::vector<store::SortKey>& keys) {
  for (const auto& [path, value] : given) {
    const auto direction = value.isNumber() ? value.toInteger() : std::nullopt;
    if (!doc::FieldPath::parse(path) || (direction != 1 && direction != -1)) {
      return refusedCall("sort names fields, each with 1 or -1");
    }
    if (std::ranges::find(keys, path, &store::SortKey::path) != keys.end()) {
      return refusedCall(fmt::format("sort names {} twice", path));
    }
    keys.push_back({std::string(path), static_cast<int>(*direction)});
    if (keys.size() > kMaxSortKeys) return refusedCall(fmt::format("sort takes at most {} fields", kMaxSortKeys));
  }
  return {};
}

// {at: -1, n: 1}, or a list as in queries: [{at: -1}, {n: 1}].
Result<std::vector<store::SortKey>> sortOf(const doc::Element& option) {
  std::vector<store::SortKey> keys;
  if (option.value.type() == doc::BsonType::document) {
    RETURN_IF_ERROR(addSortKeys(option.value.asDocument(), keys));
    return keys;
  }
  constexpr std::string_view kForm = "sort must be an object such as {at: -1}, or a list of such objects";
  if (option.value.type() != doc::BsonType::array) return refusedCall(std::string(kForm));
  for (const doc::Element& each : option.value.asDocument()) {
    if (each.value.type() != doc::BsonType::document) return refusedCall(std::string(kForm));
    RETURN_IF_ERROR(addSortKeys(each.value.asDocument(), keys));
  }
  return keys;
}

Result<data::FindOptions> findOptions(doc::DocumentView given, bool one) {
  data::FindOptions options;
  for (const doc::Element& option : given) {
    if (option.value.type() == doc::BsonType::null) continue;
    if (option.key == "limit" && !one) {
      TRY(options.limit, countOf(option));
    } else if (option.key == "skip") {
      TRY(options.skip, countOf(option));
    } else if (option.key == "sort") {
      TRY(options.sort, sortOf(option));
    } else {
      return unknownOption(option.key);
    }
  }
  if (one) options.limit = 1;
  return options;
}

Result<std::optional<doc::Document>> arrayFiltersOf(doc::DocumentView options) {
  std::optional<doc::Document> filters;
  for (const auto& [key, value] : options) {
    if (value.type() == doc::BsonType::null) continue;
    if (key != "arrayFilters") return unknownOption(key);
    if (value.type() != doc::BsonType::array) return refusedCall("arrayFilters must be an array");
    filters = doc::Document(value.asDocument());
  }
  return filters;
}

doc::Value numberValue(int64_t number) {
  doc::BsonWriter out;
  out.appendInteger("", number);
  return only(out);
}

// {<name>: <number>, …}
doc::Value countsValue(std::initializer_list<std::pair<std::string_view, int64_t>> counts) {
  doc::BsonWriter out;
  out.beginDocument("");
  for (const auto& [name, number] : counts) out.appendInteger(name, number);
  out.end();
  return only(out);
}

}  // namespace

// ---- the project

Task<snapshot::SnapshotPtr> ProjectHost::current() {
  snapshot::SnapshotPtr project = deps_.snapshots.cached(project_.str());
  if (!project) {
    CO_TRY(project, co_await deps_.snapshots.find(project_.str()));
  }
  if (project && project->info().status == snapshot::ProjectStatus::active) co_return project;
  if (project) *refused_ = true;
  co_return fail(ErrorCode::projectSuspended, "this project is not active");
}

Task<data::CollectionPtr> ProjectHost::find(std::string name) {
  CO_TRY(const snapshot::SnapshotPtr project, co_await current());
  co_return data::findForDocuments(project->get(deps_.collections), name);
}

Task<doc::Value> ProjectHost::integrate(std::string name, std::string op, doc::Document arguments,
                                        integrations::CallOptions options) {
  CO_TRY(snapshot::SnapshotPtr project, co_await current());
  co_return co_await deps_.integrations.call(std::move(project), std::move(name), std::move(op), std::move(arguments),
                                             std::move(options));
}

Task<FileHost> ProjectHost::files() {
  CO_TRY(snapshot::SnapshotPtr project, co_await current());
  co_return FileHost{deps_.files, std::move(project)};
}

// ---- calls

Task<doc::Value> RunBridge::call(std::string operation, doc::Document arguments) {
  using Clock = std::chrono::steady_clock;
  if (!run_.calls) co_return co_await execute(std::move(operation), std::move(arguments));
  const std::optional<size_t> logged = run_.calls->begin(operation, arguments, Clock::now());
  Result<doc::Value> result = co_await execute(std::move(operation), std::move(arguments));
  if (logged) run_.calls->end(*logged, result ? nullptr : &result.error(), Clock::now());
  co_return result;
}

Task<doc::Value> RunBridge::execute(std::string operation, doc::Document arguments) {
  if (run_.kind == clone::BridgeKind::lookup) {
    if (operation == "lookup.get") return get(std::move(arguments));
    if (operation == "lookup.findOne") return lookUp(std::move(arguments));
    return unknown();
  }
  if (operation == "db.find") return find(std::move(arguments), false);
  if (operation == "db.findOne") return find(std::move(arguments), true);
  if (operation == "db.count") return count(std::move(arguments));
  if (operation == "db.insertOne") return insertOne(std::move(arguments));
  if (operation == "db.updateMany") return updateMany(std::move(arguments));
  if (operation == "db.deleteMany") return deleteMany(std::move(arguments));
  if (operation == "integrations.call") return integrate(std::move(arguments));
  if (isFileCall(operation)) return callStorage(std::move(operation), std::move(arguments));
  return unknown();
}

Task<doc::Value> RunBridge::callStorage(std::string operation, doc::Document arguments) {
  CO_TRY(FileHost files, co_await host_->files());
  co_return co_await callFiles(std::move(files), {run_.actor, run_.deadline, aborted_.get_token()},
                               std::move(operation), std::move(arguments));
}

Task<doc::Value> RunBridge::unknown() {
  co_return refusedCall("there is no such call");
}

Task<doc::Value> RunBridge::find(doc::Document arguments, bool one) {
  const Arguments given(one ? "findOne" : "find", arguments);
  CO_TRY(Selection selected, given.selection(3, FilterRule::optional));
  CO_TRY(const doc::Document asked, given.objectOrEmpty(2, "options"));
  CO_TRY(data::FindOptions options, findOptions(asked, one));
  CO_TRY(const std::vector<doc::Document> found,
         co_await documents_.find(access(), std::move(selected.collection), std::move(selected.filter),
                                  std::move(options)));
  if (one) co_return found.empty() ? doc::Value() : documentValue(found.front());
  doc::BsonWriter out;
  out.beginArray("");
  for (size_t i = 0; i < found.size(); ++i) out.appendDocument(doc::arrayKey(i), found[i]);
  out.end();
  co_return only(out);
}

Task<doc::Value> RunBridge::get(doc::Document arguments) {
  const Arguments given("get", arguments);
  CO_RETURN_IF_ERROR(given.atMost(2));
  CO_TRY(std::string collection, given.text(0, "collection"));
  CO_TRY(const std::string id, given.text(1, "id"));
  doc::BsonWriter filter;
  filter.appendString("id", id);
  co_return co_await first(std::move(collection), filter.finish());
}

Task<doc::Value> RunBridge::lookUp(doc::Document arguments) {
  const Arguments given("findOne", arguments);
  CO_TRY(Selection selected, given.selection(2, FilterRule::optional));
  co_return co_await first(std::move(selected.collection), std::move(selected.filter));
}

Task<doc::Value> RunBridge::first(std::string collection, doc::Document filter) {
  data::FindOptions one;
  one.limit = 1;
  CO_TRY(const std::vector<doc::Document> found,
         co_await documents_.find(access(), std::move(collection), std::move(filter), std::move(one)));
  co_return found.empty() ? doc::Value() : documentValue(found.front());
}

Task<doc::Value> RunBridge::count(doc::Document arguments) {
  const Arguments given("count", arguments);
  CO_TRY(Selection selected, given.selection(2, FilterRule::optional));
  CO_TRY(const uint64_t total,
         co_await documents_.count(access(), std::move(selected.collection), std::move(selected.filter)));
  co_return numberValue(static_cast<int64_t>(total));
}

Task<doc::Value> RunBridge::insertOne(doc::Document arguments) {
  const Arguments given("insertOne", arguments);
  CO_RETURN_IF_ERROR(given.atMost(2));
  CO_TRY(std::string collection, given.text(0, "collection"));
  CO_TRY(doc::Document document, given.needed(1, "document"));
  CO_TRY(const doc::Document stored,
         co_await documents_.insertOne(access(), std::move(collection), std::move(document)));
  co_return documentValue(stored);
}

Task<doc::Value> RunBridge::updateMany(doc::Document arguments) {
  const Arguments given("updateMany", arguments);
  CO_TRY(Selection selected, given.selection(4, FilterRule::required));
  CO_TRY(doc::Document update, given.needed(2, "update"));
  CO_TRY(const doc::Document asked, given.objectOrEmpty(3, "options"));
  CO_TRY(std::optional<doc::Document> arrayFilters, arrayFiltersOf(asked));
  CO_TRY(const data::UpdateCounts counts,
         co_await documents_.updateMany(access(), std::move(selected.collection), std::move(selected.filter),
                                        std::move(update), std::move(arrayFilters)));
  co_return countsValue({{"matchedCount", counts.matched}, {"modifiedCount", counts.modified}});
}

Task<doc::Value> RunBridge::deleteMany(doc::Document arguments) {
  const Arguments given("deleteMany", arguments);
  CO_TRY(Selection selected, given.selection(2, FilterRule::required));
  CO_TRY(const int64_t deleted,
         co_await documents_.deleteMany(access(), std::move(selected.collection), std::move(selected.filter)));
  co_return countsValue({{"deletedCount", deleted}});
}

Task<doc::Value> RunBridge::integrate(doc::Document arguments) {
  const Arguments given("call", arguments);
  CO_RETURN_IF_ERROR(given.atMost(3));
  CO_TRY(std::string name, given.text(0, "integration"));
  CO_TRY(std::string op, given.text(1, "operation"));
  CO_TRY(doc::Document input, given.objectOrEmpty(2, "arguments"));
  co_return co_await host_->integrate(std::move(name), std::move(op), std::move(input),
                                      {run_.deadline, aborted_.get_token(), run_.trace});
}

}  // namespace mb::functions
