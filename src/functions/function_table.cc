#include "functions/function_table.h"

#include <algorithm>

#include "functions/http_routes.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::functions {

namespace {

constexpr std::chrono::milliseconds kPreTimeout{2'000};
constexpr std::chrono::milliseconds kPostTimeout{10'000};

TriggerType typeOf(doc::DocumentView trigger) {
  const std::string_view type = trigger.stringOr("type");
  if (type == "auth") return TriggerType::auth;
  if (type == "storage") return TriggerType::storage;
  if (type == "http") return TriggerType::http;
  if (type == "cron") return TriggerType::cron;
  return TriggerType::database;
}

bool subscribes(doc::DocumentView trigger, std::string_view event) {
  const auto events = trigger.find("events");
  if (!events || !events->isContainer()) return false;
  for (const doc::Element& each : events->asDocument()) {
    if (each.value.type() == doc::BsonType::string && each.value.asString() == event) return true;
  }
  return false;
}

// The collections that a database trigger follows: the one that it is bound to, or, if that was dropped, the one that
// has its name. The dropped collection is included: its last changes may not be processed yet.
std::vector<store::CollectionNo> followed(const FunctionRecord& record, const std::vector<store::CollectionInfo>& all,
                                          std::string& name) {
  const auto bound = static_cast<store::CollectionNo>(record.collectionNo);
  name = record.trigger.view().stringOr("collection");
  std::vector<store::CollectionNo> numbers;
  if (bound != 0) {
    numbers.push_back(bound);
    const auto same = std::ranges::find(all, bound, &store::CollectionInfo::number);
    if (same != all.end()) {
      name = same->name;
      return numbers;
    }
  }
  const auto named = std::ranges::find(all, name, &store::CollectionInfo::name);
  if (named != all.end()) numbers.push_back(named->number);
  return numbers;
}

std::chrono::milliseconds timeoutOf(const FunctionRecord& record) {
  const auto max = record.timing == "pre" ? kPreTimeout : kPostTimeout;
  if (!record.timeoutMs) return max;
  const std::chrono::milliseconds timeout(*record.timeoutMs);
  return record.timing == "pre" ? std::min(timeout, max) : timeout;
}

void addLive(FunctionTable& table, const FunctionPtr& function, const std::vector<store::CollectionNo>& numbers) {
  switch (function->trigger) {
    case TriggerType::database:
      for (const store::CollectionNo number : numbers) {
        (function->pre ? table.pre : table.post)[number].push_back(function);
      }
      return;
    case TriggerType::auth:
      return table.userCreated.push_back(function);
    case TriggerType::storage:
      return table.fileUploaded.push_back(function);
    case TriggerType::cron:
      return table.cron.push_back(function);
    case TriggerType::http:
      return;
  }
}

}  // namespace

doc::Document withCollection(doc::DocumentView trigger, std::string_view collection) {
  doc::BsonWriter out(trigger.bytes().size() + collection.size());
  for (const doc::Element& field : trigger) {
    if (field.key == "collection") {
      out.appendString(field.key, collection);
    } else {
      out.append(field.key, field.value);
    }
  }
  return out.finish();
}

std::pair<Function, std::vector<store::CollectionNo>> compiled(FunctionRecord record,
                                                               const std::vector<store::CollectionInfo>& collections) {
  Function function;
  std::vector<store::CollectionNo> numbers;
  const doc::DocumentView trigger = record.trigger;
  function.trigger = typeOf(trigger);
  function.pre = record.timing == "pre";
  function.timeout = timeoutOf(record);
  if (function.trigger == TriggerType::database) {
    numbers = followed(record, collections, function.collection);
    function.onInsert = subscribes(trigger, "insert");
    function.onUpdate = subscribes(trigger, "update");
    function.onDelete = subscribes(trigger, "delete");
  }
  function.method = trigger.stringOr("method");
  function.path = trigger.stringOr("path");
  function.schedule = trigger.stringOr("schedule");
  function.module = std::make_shared<const workers::Module>(
      workers::Module{fmt::format("{}@{}", record.functionId, record.version), std::exchange(record.runs, {}),
                      std::exchange(record.map, {})});
  function.record = std::move(record);
  return {std::move(function), std::move(numbers)};
}

FunctionPtr FunctionTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

Task<std::shared_ptr<const void>> FunctionTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found, co_await store::allRecords(store_, {project.number, kFunctions, 0}));
  CO_TRY(std::vector<FunctionRecord> records, store::fromStore<FunctionRecord>(found));
  auto table = std::make_shared<FunctionTable>();
  const auto namesCollection = [](const FunctionRecord& each) { return typeOf(each.trigger) == TriggerType::database; };
  std::vector<store::CollectionInfo> collections;
  if (std::ranges::any_of(records, namesCollection)) {
    CO_TRY(collections, co_await store_.collections(project.number));
  }
  std::vector<FunctionPtr> http;
  for (FunctionRecord& record : records) {
    auto [function, numbers] = compiled(std::move(record), collections);
    const auto shared = std::make_shared<const Function>(std::move(function));
    table->byName.emplace(shared->name(), shared);
    table->byId.emplace(shared->record.functionId, shared);
    if (!shared->record.enabled) continue;
    addLive(*table, shared, numbers);
    if (shared->trigger == TriggerType::http) http.push_back(shared);
  }
  table->routes = std::make_shared<const HttpRoutes>(http);
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::functions
