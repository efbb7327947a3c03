#include "functions/bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mb::functions {

namespace {

constexpr size_t kMaxSortKeys = 8;

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

// The documents that a call is about.
struct Selection {
  std::string collection;
  doc::Document filter;
};
// required: for calls that change documents, so that a forgotten argument does not change all of them.
enum class FilterRule { optional, required };

// The positional arguments of a call. null counts as absent.
class Arguments {
 public:
  Arguments(std::string_view operation, doc::DocumentView given) : operation_(operation), given_(given) {}

  Result<> atMost(size_t count) const {
    if (given_.count() <= count) return {};
    return refused(fmt::format("{} takes at most {} arguments", operation_, count));
  }
  Result<std::string> text(size_t at, std::string_view name) const {
    const auto value = find(at);
    if (value && value->type() == doc::BsonType::string) return std::string(value->asString());
    return refused(fmt::format("{} needs a string as its {}", operation_, name));
  }
  Result<std::optional<doc::Document>> object(size_t at, std::string_view name) const {
    const auto value = find(at);
    if (!value) return std::optional<doc::Document>();
    if (value->type() == doc::BsonType::document) return std::optional(doc::Document(value->asDocument()));
    return refused(fmt::format("{} takes an object as its {}", operation_, name));
  }
  // {} if it is absent.
  Result<doc::Document> objectOrEmpty(size_t at, std::string_view name) const {
    TRY(std::optional<doc::Document> given, object(at, name));
    return given ? *std::move(given) : doc::Document();
  }
  Result<doc::Document> needed(size_t at, std::string_view name) const {
    TRY(std::optional<doc::Document> given, object(at, name));
    if (given) return *std::move(given);
    return refused(fmt::format("{} needs an object as its {}", operation_, name));
  }
  // The first two arguments of a call that takes at most `count`.
  Result<Selection> selection(size_t count, FilterRule rule) const {
    RETURN_IF_ERROR(atMost(count));
    TRY(std::string collection, text(0, "collection"));
    TRY(doc::Document filter, rule == FilterRule::required ? needed(1, "filter") : objectOrEmpty(1, "filter"));
    return Selection{std::move(collection), std::move(filter)};
  }

 private:
  std::optional<doc::ValueView> find(size_t at) const {
    const auto value = given_.find(doc::arrayKey(at));
    return value && value->type() != doc::BsonType::null ? value : std::nullopt;
  }
  const std::string_view operation_;
  const doc::DocumentView given_;
};

Result<uint64_t> countOf(const doc::Element& option) {
  const auto number = option.value.isNumber() ? option.value.toInteger() : std::nullopt;
  if (number && *number >= 0) return static_cast<uint64_t>(*number);
  return refused(fmt::format("{} must be a whole number from 0 on", option.key));
}

Result<std::vector<store::SortKey>> sortOf(const doc::Element& option) {
  if (option.value.type() != doc::BsonType::document) return refused("sort must be an object such as {at: -1}");
  std::vector<store::SortKey> keys;
  for (const auto& [path, value] : option.value.asDocument()) {
    const auto direction = value.isNumber() ? value.toInteger() : std::nullopt;
    if (path.empty() || path.starts_with('$') || !direction || (*direction != 1 && *direction != -1)) {
      return refused("sort names fields, each with 1 or -1");
    }
    keys.push_back({std::string(path), static_cast<int>(*direction)});
  }
  if (keys.size() > kMaxSortKeys) return refused(fmt::format("sort takes at most {} fields", kMaxSortKeys));
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
      return refused(fmt::format("there is no option \"{}\" here", option.key.substr(0, 100)));
    }
  }
  if (one) options.limit = 1;
  return options;
}

Result<std::optional<doc::Document>> arrayFiltersOf(doc::DocumentView options) {
  std::optional<doc::Document> filters;
  for (const auto& [key, value] : options) {
    if (value.type() == doc::BsonType::null) continue;
    if (key != "arrayFilters") return refused(fmt::format("there is no option \"{}\" here", key.substr(0, 100)));
    if (value.type() != doc::BsonType::array) return refused("arrayFilters must be an array");
    filters = doc::Document(value.asDocument());
  }
  return filters;
}

doc::Value only(doc::BsonWriter& out) {
  const doc::Document whole = out.finish();
  return doc::Value(whole.view().begin()->value);
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

doc::Value documentValue(doc::DocumentView document) {
  doc::BsonWriter out(document.bytes().size() + 16);
  out.appendDocument("", document);
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
  const data::CollectionPtr* found = project->get(deps_.collections).find(name);
  if (!found) co_return fail(ErrorCode::notFound, "no such collection");
  co_return *found;
}

Task<doc::Value> ProjectHost::integrate(std::string name, std::string op, doc::Document arguments,
                                        integrations::CallOptions options) {
  CO_TRY(snapshot::SnapshotPtr project, co_await current());
  co_return co_await deps_.integrations.call(std::move(project), std::move(name), std::move(op), std::move(arguments),
                                             std::move(options));
}

// ---- calls

Task<doc::Value> RunBridge::call(std::string operation, doc::Document arguments) {
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
  return unknown();
}

Task<doc::Value> RunBridge::unknown() {
  co_return refused("there is no such call");
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
