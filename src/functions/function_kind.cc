#include "functions/function_kind.h"

#include <algorithm>
#include <map>

#include "configuration/canonical_form.h"
#include "configuration/file_text.h"
#include "functions/flow_compiler.h"
#include "functions/flow_graph.h"
#include "functions/function_variables.h"
#include "store/configuration_limits.h"

namespace mb::functions {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

// A function in an export.
struct FunctionEntry {
  std::string name;
  doc::Document trigger;
  std::string timing;
  std::string code;
  bool enabled = true;
  doc::Nullable<int64_t> timeoutMs;
  std::optional<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;  // absent if it would be empty
  std::optional<RetryPolicy> retry;
  static constexpr auto shape() {
    return doc::shape<FunctionEntry>(
        "FunctionEntry", doc::field("name", &FunctionEntry::name), doc::field("trigger", &FunctionEntry::trigger),
        doc::field("timing", &FunctionEntry::timing), doc::field("code", &FunctionEntry::code),
        doc::field("enabled", &FunctionEntry::enabled), doc::field("timeoutMs", &FunctionEntry::timeoutMs),
        doc::field("flow", &FunctionEntry::flow), doc::field("tests", &FunctionEntry::tests),
        doc::field("retry", &FunctionEntry::retry));
  }
};

Entry entryOf(FunctionEntry entry) {
  entry.code = configuration::codeText(entry.code);
  if (entry.tests && entry.tests->empty()) entry.tests.reset();
  return configuration::entryShowing(entry.name, entry);
}

Entry entryOf(const FunctionView& view) {
  return entryOf({view.name, view.trigger, view.timing, view.code, view.enabled, view.timeoutMs, view.flow.value,
                  view.tests, view.retry});
}

Result<FunctionEntry> read(const doc::Value& value) {
  return doc::decode<FunctionEntry>(value.view().asDocument());
}

// The difference of two entries, as a patch for the service.
FunctionPatch patchOf(const FunctionEntry& before, FunctionEntry after) {
  FunctionPatch patch;
  if (before.trigger != after.trigger) patch.trigger = std::move(after.trigger);
  if (before.timing != after.timing) patch.timing = std::move(after.timing);
  if (before.enabled != after.enabled) patch.enabled = after.enabled;
  if (before.timeoutMs.value != after.timeoutMs.value) {
    using Timeout = doc::Patch<int64_t>;
    patch.timeoutMs = after.timeoutMs.value ? Timeout{Timeout::State::value, *after.timeoutMs.value}
                                            : Timeout{Timeout::State::null, 0};
  }
  using Flow = doc::Patch<doc::Document>;
  const bool sameCode = before.code == after.code;
  if (after.flow && !(before.flow == after.flow && sameCode)) patch.flow = {Flow::State::value, *std::move(after.flow)};
  if (!after.flow && before.flow) patch.flow = {Flow::State::null, {}};
  if (!after.flow && (before.flow || !sameCode)) patch.code = std::move(after.code);
  if (before.retry != after.retry) {
    using Retry = doc::Patch<RetryPolicy>;
    patch.retry = after.retry ? Retry{Retry::State::value, *after.retry} : Retry{Retry::State::null, {}};
  }
  if (before.tests != after.tests) patch.tests = std::move(after.tests).value_or(std::vector<doc::Document>());
  return patch;
}

NewFunction functionOf(FunctionEntry entry) {
  NewFunction function{std::move(entry.name), std::move(entry.trigger), std::move(entry.timing),
                       entry.enabled,         entry.timeoutMs.value,    std::nullopt,
                       std::move(entry.flow), std::move(entry.tests),   entry.retry};
  if (!function.flow) function.code = std::move(entry.code);
  return function;
}

// The functions whose current route the import assigns to another function.
std::vector<std::string> losingRoutes(
    const std::vector<std::pair<std::optional<FunctionEntry>, FunctionEntry>>& changes) {
  std::map<std::string, std::string> wanted;
  for (const auto& [before, after] : changes) {
    if (auto route = routeOf(after.trigger)) wanted.emplace(*std::move(route), after.name);
  }
  std::vector<std::string> names;
  for (const auto& [before, after] : changes) {
    const auto route = before ? routeOf(before->trigger) : std::nullopt;
    const auto by = route ? wanted.find(*route) : wanted.end();
    if (by != wanted.end() && by->second != after.name) names.push_back(after.name);
  }
  return names;
}

void checkRoutes(const std::vector<std::pair<std::string, FunctionEntry>>& incoming, const std::vector<Entry>& current,
                 Problems& problems) {
  std::map<std::string, std::string> taken;
  for (const Entry& entry : current) {
    const bool stays = std::ranges::none_of(incoming, [&](const auto& each) { return each.second.name == entry.name; });
    const auto trigger = entry.value.view().asDocument().find("trigger");
    if (auto route = stays && trigger ? routeOf(trigger->asDocument()) : std::nullopt) {
      taken.emplace(*std::move(route), entry.name);
    }
  }
  for (const auto& [pointer, entry] : incoming) {
    const auto route = routeOf(entry.trigger);
    if (!route) continue;
    const auto [first, isNew] = taken.emplace(*route, entry.name);
    if (!isNew) {
      problems.add(pointer + "/trigger/path", fmt::format("{} is the route of \"{}\" already", *route, first->second));
    }
  }
}

}  // namespace

// An entry of an imported document, completed with defaults from the stored function.
struct FunctionKind::Incoming {
  std::string name;
  doc::Document trigger;
  std::optional<std::string> timing;
  std::optional<std::string> code;
  std::optional<bool> enabled;
  doc::Patch<int64_t> timeoutMs;
  std::optional<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;
  std::optional<RetryPolicy> retry;
  static constexpr auto shape() {
    return doc::shape<Incoming>("FunctionEntry", doc::field("name", &Incoming::name),
                                doc::field("trigger", &Incoming::trigger), doc::field("timing", &Incoming::timing),
                                doc::field("code", &Incoming::code), doc::field("enabled", &Incoming::enabled),
                                doc::field("timeoutMs", &Incoming::timeoutMs), doc::field("flow", &Incoming::flow),
                                doc::field("tests", &Incoming::tests), doc::field("retry", &Incoming::retry));
  }

  void complete(const FunctionView* existing) {
    if (!timing) timing = "post";
    if (!enabled) enabled = existing ? existing->enabled : true;
    if (!timeoutMs.given() && existing && existing->timeoutMs.value) {
      timeoutMs = {doc::Patch<int64_t>::State::value, *existing->timeoutMs.value};
    }
  }
  std::optional<int64_t> timeout() const {
    return timeoutMs.state == doc::Patch<int64_t>::State::value ? std::optional(timeoutMs.value) : std::nullopt;
  }
  // Brings flow and tests into their stored form.
  Result<> finalize() {
    if (flow) {
      TRY(flow, canonicalFlow(*flow));
    }
    if (tests) {
      TRY(tests, canonicalTests(*tests));
    }
    return {};
  }
  FunctionEntry entry() const {
    return {name,  trigger, timing.value_or("post"), code.value_or(""), enabled.value_or(true), {timeout()}, flow,
            tests, retry};
  }
  NewFunction function() const {
    return {name, trigger, timing, enabled, timeout(), flow ? std::nullopt : code, flow, tests, retry};
  }
};

// Sets the canonical trigger, and the code: compiled from the flow, and checked if it differs from the stored code.
Task<> FunctionKind::finalize(store::ProjectNo project, Incoming& incoming, const FunctionView* existing,
                              const std::string& pointer, Problems& problems) {
  incoming.trigger = canonicalTrigger(incoming.trigger);
  if (incoming.flow) {
    const auto compiled = compileFlow(*incoming.flow);
    incoming.code = compiled ? std::optional(compiled->code) : std::nullopt;
  } else {
    incoming.code = configuration::codeText(incoming.code.value_or(""));
  }
  if (existing && incoming.code && configuration::codeText(existing->code) == configuration::codeText(*incoming.code)) {
    co_return Result<>();
  }
  auto prepared = co_await functions_.prepare(project, incoming.code, incoming.flow);
  if (prepared) {
    incoming.code = std::move(prepared->code);
    co_return Result<>();
  }
  if (prepared.error().code() != ErrorCode::validation) co_return fail(std::move(prepared).error());
  for (const ErrorDetail& each : prepared.error().details()) problems.add(pointer + each.path, each.message);
  co_return Result<>();
}

void FunctionKind::checkVariables(const Source& source, const Incoming& incoming, const std::string& pointer,
                                  Problems& problems) const {
  const std::vector<std::string> names = variablesIn(incoming.code.value_or(""), incoming.flow);
  if (names.empty()) return;
  const std::string at = pointer + (incoming.flow ? "/flow" : "/code");
  const variables::Values values = functions_.variables().valuesAfter(*source.project, source.document);
  if (std::string problem = secretProblem(names, values); !problem.empty()) problems.add(at, std::move(problem));
  if (source.copied || source.allowMissing) return;
  std::vector<std::string> missing;
  std::ranges::copy_if(names, std::back_inserter(missing), [&](const auto& name) { return !values.hasValue(name); });
  if (!missing.empty()) problems.add(at, variables::missingText(missing));
}

Task<std::vector<Entry>> FunctionKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const FunctionView& view : functions_.list(*project)) entries.push_back(entryOf(view));
  co_return entries;
}

Task<std::vector<Entry>> FunctionKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  const store::ProjectNo project = source.project->info().number;
  std::vector<std::pair<std::string, FunctionEntry>> incoming;  // by pointer
  configuration::UniqueNameSet names(current, configuration::UniqueNameSet::exact);
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<FunctionView> known;
    auto read = configuration::entryAt<Incoming>(value, pointer, problems, [&](Incoming& each) {
      if (auto found = functions_.get(*source.project, each.name)) known = *std::move(found);
      each.complete(known ? &*known : nullptr);
      std::vector<ErrorDetail> details = problemsOf(each.function());
      const Result<> stored = details.empty() ? each.finalize() : Result<>();
      return stored ? details : stored.error().details();
    });
    if (!read) continue;
    Incoming given = *std::move(read);
    const FunctionView* existing = known ? &*known : nullptr;
    const size_t problemsBefore = problems.count();
    names.take(given.name, pointer, problems);
    if (problems.count() > problemsBefore) continue;
    CO_RETURN_IF_ERROR(co_await finalize(project, given, existing, pointer, problems));
    checkVariables(source, given, pointer, problems);
    incoming.emplace_back(pointer, given.entry());
  }
  names.checkCount(section(), store::kMaxFunctions, "functions", problems);
  checkRoutes(incoming, current, problems);
  std::vector<Entry> merged;
  for (auto& [pointer, entry] : incoming) merged.push_back(entryOf(std::move(entry)));
  co_return merged;
}

Task<std::vector<ErrorDetail>> FunctionKind::failingTests(snapshot::SnapshotPtr drafted, std::vector<Change> changes,
                                                          store::Deadline deadline) {
  std::vector<ErrorDetail> failures;
  if (!tests_) co_return failures;
  std::map<std::string, FunctionPtr> all;
  for (const auto& [name, function] : drafted->get(functions_.slot()).byName) all.emplace(name, function);
  for (const Change& change : changes) {
    CO_TRY(FunctionEntry after, read(change.after));
    all.erase(change.name);
    if (!after.tests || after.tests->empty()) continue;
    CO_TRY(all[change.name], co_await functions_.drafted(drafted->info().number, functionOf(std::move(after))));
  }
  for (const auto& [name, function] : all) {
    if (function->record.tests.empty()) continue;
    CO_TRY(const TestReport report, co_await tests_->run(drafted, function, deadline));
    for (size_t i = 0; i < report.results.size(); ++i) {
      const TestResult& result = report.results[i];
      if (result.passed) continue;
      failures.push_back({fmt::format("/functions/{}/tests/{}", name, i),
                          fmt::format("test \"{}\": {}", result.name, fmt::join(result.failures, "; "))});
    }
  }
  co_return failures;
}

uint64_t FunctionKind::storedBytes(const snapshot::ProjectSnapshot& project, doc::ValueView entry) const {
  const std::string_view code = entry.asDocument().stringOr("code");
  return ListedKind::storedBytes(project, entry) + functions_.runningBytes(project.info().number, code);
}

Task<> FunctionKind::prepare(configuration::Target target, std::vector<Change> changes) {
  std::vector<std::pair<std::optional<FunctionEntry>, FunctionEntry>> all;
  for (const Change& change : changes) {
    std::optional<FunctionEntry> before;
    if (change.before) {
      CO_TRY(before, read(*change.before));
    }
    CO_TRY(FunctionEntry after, read(change.after));
    all.emplace_back(std::move(before), std::move(after));
  }
  co_return co_await functions_.releaseRoutes({target.caller, target.project, target.deadline}, losingRoutes(all));
}

Task<> FunctionKind::applyOne(configuration::Target target, Change change) {
  const Access access{target.caller, target.project, target.deadline};
  CO_TRY(FunctionEntry after, read(change.after));
  if (change.before) {
    CO_TRY(const FunctionEntry before, read(*change.before));
    co_return co_await functions_.change(access, change.name, patchOf(before, std::move(after)));
  }
  const auto made = co_await functions_.create(access, functionOf(std::move(after)));
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::functions
