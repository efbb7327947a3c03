// The module's part of the project snapshot: the compiled functions.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "functions/function_types.h"
#include "snapshot/snapshot.h"
#include "workers/workers.h"

namespace mb::functions {

enum class TriggerType { database, auth, storage, http, cron };

struct Function {
  FunctionRecord record;
  TriggerType trigger = TriggerType::database;
  std::string collection;  // of a database trigger: its current name
  bool onInsert = false;
  bool onUpdate = false;  // and on replace
  bool onDelete = false;
  bool pre = false;
  std::string method, path;             // of an http trigger
  std::string schedule;                 // of a cron trigger
  std::chrono::milliseconds timeout{};  // clamped to the maximum of its timing
  workers::ModulePtr module;

  const std::string& name() const { return record.id; }
};
using FunctionPtr = std::shared_ptr<const Function>;

// Finds the http function of a path (http_routes.h). Immutable.
class HttpRoutes;

struct FunctionTable {
  std::map<std::string, FunctionPtr, std::less<>> byName;  // all
  std::unordered_map<std::string, FunctionPtr> byId;       // functionId; all
  // Enabled ones only, each list by name.
  std::unordered_map<store::CollectionNo, std::vector<FunctionPtr>> pre, post;
  std::vector<FunctionPtr> userCreated, fileUploaded, cron;
  std::shared_ptr<const HttpRoutes> routes;

  FunctionPtr find(std::string_view name) const;  // null if it does not exist
};

class FunctionTables final : public snapshot::SlotSource {
 public:
  explicit FunctionTables(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

// The compiled form of a stored function, in a project with these collections; and, for a database trigger, the numbers
// of the collections that it follows.
std::pair<Function, std::vector<store::CollectionNo>> compiled(FunctionRecord record,
                                                               const std::vector<store::CollectionInfo>& collections);
// The trigger with another collection name.
doc::Document withCollection(doc::DocumentView trigger, std::string_view collection);

}  // namespace mb::functions
