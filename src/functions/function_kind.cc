#include "functions/function_kind.h"

#include <algorithm>
#include <map>

#include "configuration/canonical_shape.h"
#include "configuration/file_text.h"
#include "functions/flow_compiler.h"
#include "functions/flow_graph.h"
#include "store/configuration_limits.h"

namespace mb::functions {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

// A function as an export shows it.
struct Shown {
  std::string name;
  doc::Document trigger;
  std::string timing;
  std::string code;
  bool enabled = true;
  doc::Nullable<int64_t> timeoutMs;
  std::optional<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;  // none where there would be no case
  static constexpr auto shape() {
    return doc::shape<Shown>("FunctionEntry", doc::field("name", &Shown::name), doc::field("trigger", &Shown::trigger),
                             doc::field("timing", &Shown::timing), doc::field("code", &Shown::code),
                             doc::field("enabled", &Shown::enabled), doc::field("timeoutMs", &Shown::timeoutMs),
                             doc::field("flow", &Shown::flow), doc::field("tests", &Shown::tests));
  }
};

Entry entryOf(Shown shown) {
  shown.code = configuration::codeText(shown.code);
  if (shown.tests && shown.tests->empty()) shown.tests.reset();
  return configuration::entryShowing(shown.name, shown);
}

Entry entryOf(const FunctionView& view) {
  return entryOf(
      {view.name, view.trigger, view.timing, view.code, view.enabled, view.timeoutMs, view.flow.value, view.tests});
}

Result<Shown> read(const doc::Value& value) {
  return doc::decode<Shown>(value.view().asDocument());
}

// What of a function is another, for the service.
FunctionPatch patchOf(const Shown& before, Shown after) {
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
  if (before.tests != after.tests) patch.tests = std::move(after.tests).value_or(std::vector<doc::Document>());
  return patch;
}

NewFunction functionOf(Shown shown) {
  NewFunction function{std::move(shown.name), std::move(shown.trigger), std::move(shown.timing),
                       shown.enabled,         shown.timeoutMs.value,    std::nullopt,
                       std::move(shown.flow), std::move(shown.tests)};
  if (!function.flow) function.code = std::move(shown.code);
  return function;
}

// The functions whose route another change wants, while they go elsewhere.
std::vector<std::string> givingUp(const std::vector<std::pair<std::optional<Shown>, Shown>>& changes) {
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

void checkRoutes(const std::vector<std::pair<std::string, Shown>>& incoming, const std::vector<Entry>& current,
                 Problems& problems) {
  std::map<std::string, std::string> taken;
  for (const Entry& entry : current) {
    const bool stays = std::ranges::none_of(incoming, [&](const auto& each) { return each.second.name == entry.name; });
    const auto trigger = entry.value.view().asDocument().find("trigger");
    if (auto route = stays && trigger ? routeOf(trigger->asDocument()) : std::nullopt) {
      taken.emplace(*std::move(route), entry.name);
    }
  }
  for (const auto& [pointer, shown] : incoming) {
    const auto route = routeOf(shown.trigger);
    if (!route) continue;
    const auto [first, isNew] = taken.emplace(*route, shown.name);
    if (!isNew) {
      problems.add(pointer + "/trigger/path", fmt::format("{} is answered by \"{}\" already", *route, first->second));
    }
  }
}

}  // namespace

// A function as a document has it, completed by what it leaves to what stands.
struct FunctionKind::Incoming {
  std::string name;
  doc::Document trigger;
  std::optional<std::string> timing;
  std::optional<std::string> code;
  std::optional<bool> enabled;
  doc::Patch<int64_t> timeoutMs;
  std::optional<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;
  static constexpr auto shape() {
    return doc::shape<Incoming>("FunctionEntry", doc::field("name", &Incoming::name),
                                doc::field("trigger", &Incoming::trigger), doc::field("timing", &Incoming::timing),
                                doc::field("code", &Incoming::code), doc::field("enabled", &Incoming::enabled),
                                doc::field("timeoutMs", &Incoming::timeoutMs), doc::field("flow", &Incoming::flow),
                                doc::field("tests", &Incoming::tests));
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
  // Flow and tests as they would be stored.
  Result<> settle() {
    if (flow) {
      TRY(flow, canonicalFlow(*flow));
    }
    if (tests) {
      TRY(tests, settledTests(*tests));
    }
    return {};
  }
  Shown shown() const {
    return {name, trigger, timing.value_or("post"), code.value_or(""), enabled.value_or(true), {timeout()},
            flow, tests};
  }
  NewFunction function() const {
    return {name, trigger, timing, enabled, timeout(), flow ? std::nullopt : code, flow, tests};
  }
};

// Canonical form, and the code: compiled from the flow, and checked where it is another than what stands.
Task<> FunctionKind::settle(store::ProjectNo project, Incoming& incoming, const FunctionView* existing,
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

Task<std::vector<Entry>> FunctionKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const FunctionView& view : functions_.list(*project)) entries.push_back(entryOf(view));
  co_return entries;
}

Task<std::vector<Entry>> FunctionKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  const store::ProjectNo project = source.project->info().number;
  std::vector<std::pair<std::string, Shown>> incoming;  // by pointer
  configuration::UniqueNameSet names(current, [](std::string_view name) { return std::string(name); });
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<FunctionView> stood;
    auto read = configuration::entryAt<Incoming>(value, pointer, problems, [&](Incoming& each) {
      if (auto found = functions_.get(*source.project, each.name)) stood = *std::move(found);
      each.complete(stood ? &*stood : nullptr);
      std::vector<ErrorDetail> details = problemsOf(each.function());
      const Result<> stored = details.empty() ? each.settle() : Result<>();
      return stored ? details : stored.error().details();
    });
    if (!read) continue;
    Incoming given = *std::move(read);
    const FunctionView* existing = stood ? &*stood : nullptr;
    const size_t problemsBefore = problems.count();
    names.take(given.name, pointer, problems);
    if (problems.count() > problemsBefore) continue;
    CO_RETURN_IF_ERROR(co_await settle(project, given, existing, pointer, problems));
    incoming.emplace_back(pointer, given.shown());
  }
  names.checkCount(section(), store::kMaxFunctions, "functions", problems);
  checkRoutes(incoming, current, problems);
  std::vector<Entry> merged;
  for (auto& [pointer, shown] : incoming) merged.push_back(entryOf(std::move(shown)));
  co_return merged;
}

uint64_t FunctionKind::storedBytes(const snapshot::ProjectSnapshot& project, doc::ValueView entry) const {
  const std::string_view code = entry.asDocument().stringOr("code");
  return ListedKind::storedBytes(project, entry) + functions_.runningBytes(project.info().number, code);
}

Task<> FunctionKind::prepare(configuration::Target target, std::vector<Change> changes) {
  std::vector<std::pair<std::optional<Shown>, Shown>> all;
  for (const Change& change : changes) {
    std::optional<Shown> before;
    if (change.before) {
      CO_TRY(before, read(*change.before));
    }
    CO_TRY(Shown after, read(change.after));
    all.emplace_back(std::move(before), std::move(after));
  }
  co_return co_await functions_.releaseRoutes({target.caller, target.project, target.deadline}, givingUp(all));
}

Task<> FunctionKind::applyOne(configuration::Target target, Change change) {
  const Access access{target.caller, target.project, target.deadline};
  CO_TRY(Shown after, read(change.after));
  if (change.before) {
    CO_TRY(const Shown before, read(*change.before));
    co_return co_await functions_.change(access, change.name, patchOf(before, std::move(after)));
  }
  const auto made = co_await functions_.create(access, functionOf(std::move(after)));
  if (!made) co_return fail(made.error().clone());
  co_return Result<>();
}

}  // namespace mb::functions
