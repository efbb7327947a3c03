#include "functions/functions.h"

#include "functions/code_place.h"
#include "functions/flow_compiler.h"
#include "functions/flow_graph.h"
#include "functions/function_variables.h"
#include "functions/run_log.h"
#include "functions/run_months.h"
#include "functions/timetable.h"
#include "store/configuration_limits.h"
#include "store/rewrite.h"

namespace mb::functions {

namespace {

using FlowState = doc::Patch<doc::Document>::State;

constexpr std::string_view kEitherOr = "must be absent if there is a flow, which it is compiled from";
constexpr std::string_view kCompiled =
    "is compiled from the flow: change the flow, or send \"flow\": null with it to write code by hand";

NewFunction bodyOf(const FunctionRecord& record) {
  return {record.id,   record.trigger,    record.timing, record.enabled, record.timeoutMs,
          record.code, record.flow.value, record.tests,  record.retry};
}

std::string withoutHeader(std::string_view code) {
  if (code.starts_with(kFlowHeader)) code.remove_prefix(kFlowHeader.size());
  while (code.starts_with('\n')) code.remove_prefix(1);
  return std::string(code);
}

Result<> canonicalizeInput(std::optional<doc::Document>& flow, std::optional<std::vector<doc::Document>>& tests) {
  if (flow) {
    TRY(flow, canonicalFlow(*flow));
  }
  if (tests) {
    TRY(tests, canonicalTests(*tests));
  }
  return {};
}

void setCode(FunctionRecord& record, const Functions::Prepared& prepared) {
  record.code = prepared.code;
  record.runs = prepared.runs.code;
  record.map = prepared.runs.map;
}

void mergeRetry(std::optional<RetryPolicy>& retry, const FunctionPatch& patch) {
  if (patch.retry.state == doc::Patch<RetryPolicy>::State::null) retry.reset();
  if (patch.retry.state == doc::Patch<RetryPolicy>::State::value) retry = patch.retry.value;
}

// Applies the fields of a patch other than the code. `known` is the function that the caller has seen.
void mergePlain(FunctionRecord& record, const FunctionPatch& patch, const Function& known, int64_t collectionNo) {
  if (patch.trigger) {
    // The caller has seen a renamed collection under its new name, so that name is not a change.
    const bool sameNumber = record.collectionNo == known.record.collectionNo && !known.collection.empty();
    const doc::Document current = sameNumber ? withCollection(record.trigger, known.collection) : record.trigger;
    if (doc::Document given = canonicalTrigger(*patch.trigger); given != current) {
      record.trigger = std::move(given);
      record.collectionNo = collectionNo;
    }
  }
  if (patch.timing) record.timing = *patch.timing;
  if (patch.enabled) record.enabled = *patch.enabled;
  if (patch.timeoutMs.state == doc::Patch<int64_t>::State::null) record.timeoutMs.reset();
  if (patch.timeoutMs.state == doc::Patch<int64_t>::State::value) record.timeoutMs = patch.timeoutMs.value;
  if (patch.tests) record.tests = *patch.tests;
  mergeRetry(record.retry, patch);
}

}  // namespace

// The limits of a project's configuration use this number.
static_assert(store::isConfigurationPart(kFunctions, "functions"));

std::vector<store::SystemCollection> systemCollections() {
  store::IndexSpec route;
  route.name = "route";
  route.keys = {{"route", 1}};
  route.unique = route.sparse = true;
  return {{kFunctions, "__functions", {route}},
          {kVersions, "__function_versions", {}},
          {kRuns, "__function_runs", {}},
          {.number = kStats, .name = "__function_stats", .indexes = {}, .counters = {runsOfMonthSource()}},
          timetableCollection(),
          {kRunInputs, "__function_run_inputs", {}}};
}

FunctionView viewOf(const Function& function) {
  const FunctionRecord& record = function.record;
  const bool named = function.trigger == TriggerType::database;
  return {record.id,          named ? withCollection(record.trigger, function.collection) : record.trigger,
          record.timing,      record.enabled,
          {record.timeoutMs}, record.retry,
          record.code,        record.flow,
          record.tests,       record.version,
          record.createdAt,   record.updatedAt};
}

VersionView viewOf(VersionRecord record) {
  return {record.version,         std::move(record.trigger), std::move(record.timing),   {record.timeoutMs},
          std::move(record.code), record.createdAt,          std::move(record.createdBy)};
}

Functions::Functions(FunctionDeps deps)
    : deps_(deps), tables_(deps.store), slot_(deps.snapshots.addSlot<FunctionTable>(tables_)), writer_(deps_) {
  deps.data.collections().addReferrer(*this);
  deps.variables.add(*this);
}

// ---- reading

Result<FunctionPtr> Functions::require(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  FunctionPtr function = project.get(slot_).find(name);
  if (!function) return fail(noFunction());
  return function;
}

std::vector<FunctionView> Functions::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<FunctionView> views;
  for (const auto& [name, function] : project.get(slot_).byName) views.push_back(viewOf(*function));
  return views;
}

Result<FunctionView> Functions::get(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  TRY(const FunctionPtr function, require(project, name));
  return viewOf(*function);
}

Task<FunctionView> Functions::shown(store::ProjectNo project, FunctionRecord record) {
  std::vector<store::CollectionInfo> collections;
  if (record.trigger.view().stringOr("type") == "database") {
    CO_TRY(collections, co_await deps_.store.collections(project));
  }
  co_return viewOf(compiled(std::move(record), collections).first);
}

// ---- changing

int64_t Functions::numberOf(const snapshot::ProjectSnapshot& project, doc::DocumentView trigger) const {
  if (trigger.stringOr("type") != "database") return 0;
  const data::CollectionPtr* found = project.get(deps_.data.slot()).find(trigger.stringOr("collection"));
  return found ? static_cast<int64_t>((*found)->info.number) : 0;
}

Task<Functions::Prepared> Functions::prepare(store::ProjectNo project, std::optional<std::string> code,
                                             std::optional<doc::Document> flow) {
  Prepared prepared;
  std::optional<CompiledFlow> compiledFlow;
  if (flow) {
    CO_TRY(compiledFlow, compileFlow(*flow));
    prepared.code = compiledFlow->code;
  } else {
    prepared.code = code.value_or("");
  }
  if (const auto known = checked_.find(project, prepared.code)) {
    prepared.runs = *known;
    co_return prepared;
  }
  auto checked = co_await deps_.executor.check(project, prepared.code, true);
  if (checked && compiledFlow && compiledFlow->parts.size() > 1) {
    std::string parted = apart(*compiledFlow);
    const auto separate = co_await deps_.executor.check(project, std::move(parted), true);
    if (!separate) checked = fail(separate.error().clone());
  }
  if (checked) {
    prepared.runs = *std::move(checked);
    checked_.put(project, prepared.code, prepared.runs);
    co_return prepared;
  }
  if (checked.error().code() != ErrorCode::validation) co_return fail(std::move(checked).error());
  if (compiledFlow) co_return fail(co_await wrongNode(project, *std::move(compiledFlow), std::move(checked).error()));
  const std::string& message = checked.error().message();
  const auto place = placeIn(message);
  co_return fail(asError({{"/code", place ? place->inWords() : message}}));
}

Task<FunctionPtr> Functions::drafted(store::ProjectNo project, NewFunction input) {
  CO_TRY(const Prepared prepared, co_await prepare(project, std::move(input.code), input.flow));
  FunctionRecord record;
  record.id = std::move(input.name);
  record.functionId = "fn_" + deps_.ids.next();  // workers cache JS modules by it
  record.trigger = canonicalTrigger(input.trigger);
  record.timing = input.timing.value_or("post");
  record.timeoutMs = input.timeoutMs;
  if (input.tests) record.tests = *std::move(input.tests);
  setCode(record, prepared);
  co_return std::make_shared<const Function>(compiled(std::move(record), {}).first);
}

uint64_t Functions::runningBytes(store::ProjectNo project, std::string_view code) {
  const auto known = checked_.find(project, code);
  return known ? known->code.size() + known->map.size() : 2 * code.size();
}

// A bracket or template that one node leaves open may be closed by another node, where the engine then reports the
// error. So each node's code is checked alone, and the first that fails is reported.
Async<Error> Functions::wrongNode(store::ProjectNo project, CompiledFlow flow, Error error) {
  for (const CompiledFlow::Part& part : flow.parts) {
    const auto alone = co_await deps_.executor.check(project, aloneOf(part), true);
    if (alone) continue;
    if (alone.error().code() != ErrorCode::validation) co_return alone.error().clone();
    co_return aboutPart(part, alone.error());
  }
  co_return aboutFlow(flow, error);
}

Task<FunctionView> Functions::create(Access access, NewFunction input) {
  CO_RETURN_IF_ERROR(check(input));
  if (input.flow && input.code) co_return fail(asError({{"/code", std::string(kEitherOr)}}));
  if (access.project->get(slot_).find(input.name)) {
    co_return fail(ErrorCode::conflict, "there is a function of this name already");
  }
  const store::ProjectNo project = access.project->info().number;
  CO_RETURN_IF_ERROR(canonicalizeInput(input.flow, input.tests));
  CO_RETURN_IF_ERROR(checkVariables(*access.project, input.code, input.flow));
  CO_TRY(const Prepared prepared, co_await prepare(project, std::move(input.code), input.flow));
  FunctionRecord record;
  record.id = std::move(input.name);
  record.functionId = "fn_" + deps_.ids.next();
  record.trigger = canonicalTrigger(input.trigger);
  record.collectionNo = numberOf(*access.project, record.trigger);
  record.timing = input.timing.value_or("post");
  record.enabled = input.enabled.value_or(true);
  record.timeoutMs = input.timeoutMs;
  record.retry = input.retry;
  record.flow.value = std::move(input.flow);
  if (input.tests) record.tests = *std::move(input.tests);
  setCode(record, prepared);
  CO_TRY(record, co_await writer_.insert(std::move(access), std::move(record)));
  co_return co_await shown(project, std::move(record));
}

Task<> Functions::change(Access access, std::string name, FunctionPatch patch) {
  CO_TRY(const FunctionPtr known, require(*access.project, name));
  const bool hasFlow = known->record.flow.value.has_value();
  const bool ejects = hasFlow && patch.flow.state == FlowState::null;
  if (patch.code && patch.flow.state == FlowState::value) co_return fail(asError({{"/code", std::string(kEitherOr)}}));
  if (patch.code && hasFlow && !patch.flow.given()) co_return fail(asError({{"/code", std::string(kCompiled)}}));
  if (ejects && !patch.code) patch.code = withoutHeader(known->record.code);
  // The cheap checks come first, before the code is checked by a worker.
  NewFunction merged = bodyOf(known->record);
  if (patch.trigger) merged.trigger = *patch.trigger;
  if (patch.code) merged.code = patch.code;
  if (patch.flow.state == FlowState::value) merged.flow = patch.flow.value;
  if (patch.flow.state == FlowState::null) merged.flow.reset();
  if (patch.timing) merged.timing = patch.timing;
  if (patch.timeoutMs.state == doc::Patch<int64_t>::State::value) merged.timeoutMs = patch.timeoutMs.value;
  if (patch.tests) merged.tests = patch.tests;
  mergeRetry(merged.retry, patch);
  CO_RETURN_IF_ERROR(check(merged));
  std::optional<doc::Document> flow;
  if (patch.flow.state == FlowState::value) flow = std::move(patch.flow.value);
  CO_RETURN_IF_ERROR(canonicalizeInput(flow, patch.tests));
  CO_RETURN_IF_ERROR(checkVariables(*access.project, patch.code, flow));
  std::optional<Prepared> prepared;
  if (patch.code || flow) {
    CO_TRY(prepared, co_await prepare(access.project->info().number, patch.code, flow));
  }
  const int64_t number = patch.trigger ? numberOf(*access.project, *patch.trigger) : 0;
  FunctionWriter::Edit edit{"function.changed", [&](FunctionRecord& record) -> Result<> {
                              if (patch.code && record.flow.value && !patch.flow.given()) {
                                return fail(asError({{"/code", std::string(kCompiled)}}));
                              }
                              mergePlain(record, patch, *known, number);
                              if (patch.flow.state == FlowState::null) record.flow.value.reset();
                              if (flow) record.flow.value = flow;
                              if (prepared) setCode(record, *prepared);
                              return check(bodyOf(record));
                            }};
  CO_RETURN_IF_ERROR(co_await writer_.change(std::move(access), std::move(name), std::move(edit)));
  co_return Result<>();
}

Task<> Functions::remove(Access access, std::string name) {
  CO_TRY(const FunctionPtr known, require(*access.project, name));
  co_return co_await writer_.remove(std::move(access), std::move(name), known->record.functionId);
}

// ---- variables

Result<> Functions::checkVariables(const snapshot::ProjectSnapshot& project, const std::optional<std::string>& code,
                                   const std::optional<doc::Document>& flow) const {
  const std::vector<std::string> names = variablesIn(code.value_or(""), flow);
  if (names.empty()) return {};
  std::string problem = secretProblem(names, deps_.variables.valuesOf(project));
  if (problem.empty()) return {};
  return fail(asError({{flow ? "/flow" : "/code", std::move(problem)}}));
}

std::vector<variables::VariableUse> Functions::uses(const snapshot::ProjectSnapshot& project) const {
  std::vector<variables::VariableUse> uses;
  for (const auto& [name, function] : project.get(slot_).byName) {
    std::vector<std::string> names = variablesIn(function->record.code, function->record.flow.value);
    if (!names.empty()) uses.push_back({fmt::format("functions/{}/code", name), std::move(names)});
  }
  return uses;
}

variables::Problems Functions::problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                            std::string_view name) const {
  variables::Problems problems;
  if (!values.isSecret(name)) return problems;
  for (const variables::VariableUse& use : uses(project)) {
    if (std::ranges::find(use.names, name) == use.names.end()) continue;
    problems.push_back({use.field, secretProblem({std::string(name)}, values)});
  }
  return problems;
}

// ---- versions

Task<VersionRecord> Functions::storedVersion(store::ProjectNo project, std::string functionId, int64_t version) {
  CO_TRY(const std::optional<doc::Document> row,
         co_await deps_.store.get({project, kVersions, 0}, versionKey(functionId, version)));
  CO_TRY(std::optional<VersionRecord> record, store::fromStore<VersionRecord>(row));
  if (!record || record->version != version) co_return fail(ErrorCode::notFound, "no such version");
  co_return *std::move(record);
}

Task<std::vector<VersionView>> Functions::versions(snapshot::SnapshotPtr project, std::string name, int64_t limit) {
  CO_TRY(const FunctionPtr known, require(*project, name));
  std::vector<VersionView> views;
  const int64_t newest = known->record.version;
  for (int64_t version = newest; version > 0 && newest - version < std::min(limit, kMaxVersions); --version) {
    auto record = co_await storedVersion(project->info().number, known->record.functionId, version);
    if (record) {
      views.push_back(viewOf(*std::move(record)));
    } else if (record.error().code() != ErrorCode::notFound) {
      co_return fail(std::move(record).error());
    }
  }
  co_return views;
}

Task<VersionView> Functions::version(snapshot::SnapshotPtr project, std::string name, int64_t version) {
  CO_TRY(const FunctionPtr known, require(*project, name));
  CO_TRY(VersionRecord record, co_await storedVersion(project->info().number, known->record.functionId, version));
  co_return viewOf(std::move(record));
}

Task<FunctionView> Functions::rollback(Access access, std::string name, int64_t version) {
  if (version < 1) co_return fail(asError({{"/version", "must be 1 or more"}}));
  CO_TRY(const FunctionPtr known, require(*access.project, name));
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(const VersionRecord former, co_await storedVersion(project, known->record.functionId, version));
  CO_TRY(const Prepared prepared, co_await prepare(project, former.code, std::nullopt));
  FunctionWriter::Edit edit{"function.rolledBack",
                            [&](FunctionRecord& record) -> Result<> {
                              if (record.functionId != known->record.functionId) return fail(noFunction());
                              record.trigger = former.trigger;
                              record.collectionNo = former.collectionNo;
                              record.timing = former.timing;
                              record.timeoutMs = former.timeoutMs;
                              record.flow = former.flow;
                              setCode(record, prepared);
                              if (record.timing == "pre" && record.retry) {
                                return fail(asError({{"/retry", std::string(kNoHookRetry)}}));
                              }
                              return {};
                            },
                            true};
  CO_TRY(FunctionRecord record, co_await writer_.change(std::move(access), std::move(name), std::move(edit)));
  co_return co_await shown(project, std::move(record));
}

// ---- binding to collections, releasing routes

Task<> Functions::bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) {
  const auto number = static_cast<int64_t>(collection->info.number);
  std::vector<store::WriteTarget> targets;
  std::vector<std::string> ids;
  for (const auto& [name, function] : project->get(slot_).byName) {
    const FunctionRecord& record = function->record;
    if (function->collection != collection->name()) continue;
    if (record.collectionNo == number && record.trigger.view().stringOr("collection") == collection->name()) continue;
    targets.push_back({{project->info().number, kFunctions, 0}, name});
    ids.push_back(record.functionId);
  }
  const auto bound = [ids = std::move(ids), collection, number](
                         size_t i, const FunctionRecord& record) -> std::optional<FunctionRecord> {
    if (record.functionId != ids[i]) return std::nullopt;
    FunctionRecord next = record;
    next.trigger = withCollection(next.trigger, collection->name());
    next.collectionNo = number;
    return next;
  };
  store::WriteOptions options{.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10),
                              .actor = store::upkeepActor(),
                              .bumpEpochs = {project->info().number}};
  co_return co_await store::rewrite<FunctionRecord>(deps_.store, std::move(targets), std::move(options), bound);
}

Task<> Functions::releaseRoutes(Access access, std::vector<std::string> names) {
  std::vector<store::WriteTarget> targets;
  for (const std::string& name : names) targets.push_back({{access.project->info().number, kFunctions, 0}, name});
  store::WriteOptions options{.deadline = access.deadline,
                              .actor = policy::actorOf(access.caller),
                              .bumpEpochs = {access.project->info().number}};
  const auto withoutRoute = [](size_t, const FunctionRecord& record) -> std::optional<FunctionRecord> {
    FunctionRecord next = record;
    next.route.reset();
    return next;
  };
  co_return co_await store::rewrite<FunctionRecord>(deps_.store, std::move(targets), std::move(options), withoutRoute);
}

}  // namespace mb::functions
