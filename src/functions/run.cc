#include "functions/run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "functions/hook_result.h"
#include "functions/run_actor.h"

namespace mb::functions {

namespace {

// Added to the deadline of a run's calls: the run may have waited for its worker.
constexpr std::chrono::seconds kWaiting{2};
constexpr size_t kMaxError = 16 << 10;

std::string_view nameOf(clone::LogLevel level) {
  switch (level) {
    case clone::LogLevel::log:
      return "log";
    case clone::LogLevel::info:
      return "info";
    case clone::LogLevel::warn:
      return "warn";
    case clone::LogLevel::error:
      return "error";
    case clone::LogLevel::debug:
      break;
  }
  return "debug";
}

std::string_view nameOf(workers::RunStatus status) {
  switch (status) {
    case workers::RunStatus::success:
      return "success";
    case workers::RunStatus::timeout:
      return "timeout";
    case workers::RunStatus::error:
    case workers::RunStatus::busy:
      break;
  }
  return "error";
}

// The message, and below it the stack.
std::string errorOf(const workers::RunOutcome& outcome) {
  if (outcome.status == workers::RunStatus::timeout) return "timed out";
  std::string text = outcome.error.empty() ? "failed" : outcome.error;
  std::string_view rest = outcome.stack;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with("at ") || text.size() + line.size() > kMaxError) continue;
    text += "\n    ";
    text += line;
  }
  return text;
}

// The run as it is logged.
RunView loggedView(const RunView& run) {
  RunView entry;
  entry.id = run.id;
  entry.trigger = run.trigger;
  entry.status = run.status;
  entry.startedAt = run.startedAt;
  entry.durationMs = run.durationMs;
  entry.logs = run.logs;
  entry.error = run.error;
  if (run.result && run.result->view().raw().size() <= kMaxKeptResult) entry.result = run.result;
  entry.attempt = run.attempt;
  entry.retryOf = run.retryOf;
  entry.calls = run.calls;
  return entry;
}

// What the log keeps of a run that can be repeated. Copies the event.
std::optional<RunInput> inputOf(const Invocation& invocation) {
  if (!invocation.logged || !invocation.repeatable) return std::nullopt;
  return RunInput{invocation.depth, invocation.event};
}

}  // namespace

bool isMetered(const Invocation& invocation) {
  return invocation.logged && invocation.runClass != workers::RunClass::preHook;
}

RunOf runOf(const snapshot::ProjectSnapshot& project, const Function& function) {
  return {project.info().number, function.name(), function.record.functionId};
}

clone::BridgeKind bridgeKindOf(const Function& function) {
  return function.pre ? clone::BridgeKind::lookup : clone::BridgeKind::full;
}

std::chrono::milliseconds timeoutOf(const Invocation& invocation) {
  const std::chrono::milliseconds own = invocation.function->timeout;
  return invocation.timeout ? std::min(own, *invocation.timeout) : own;
}

void appendAuth(doc::BsonWriter& out, const policy::Caller* caller) {
  if (caller == nullptr || caller->kind == policy::CallerKind::anonymous) {
    out.appendNull("auth");
    return;
  }
  out.beginDocument("auth");
  out.appendString("kind", policy::actorKind(caller->kind));
  out.appendString("uid", caller->id);
  out.appendString("role", caller->role);
  out.appendString("pid", caller->projectId.str());
  if (!caller->email.empty()) out.appendString("email", caller->email);
  out.appendDocument("token", caller->claims);
  out.end();
}

doc::Document contextOf(const Invocation& invocation, const variables::VariableTable& table) {
  doc::BsonWriter out(512 + table.plain.size() + (invocation.request ? invocation.request->size() : 0));
  appendAuth(out, invocation.caller ? &*invocation.caller : nullptr);
  out.appendString("project", invocation.project->info().id.str());
  out.appendString("function", invocation.function->name());
  out.appendDocument("variables", table.plain);
  if (invocation.request) out.appendDocument("request", *invocation.request);
  return out.finish();
}

RunView viewOf(workers::RunOutcome outcome, std::string id, std::string trigger, Timestamp startedAt) {
  RunView view;
  view.id = std::move(id);
  view.trigger = std::move(trigger);
  view.status = nameOf(outcome.status);
  view.startedAt = startedAt;
  view.durationMs = std::chrono::round<std::chrono::milliseconds>(outcome.wall).count();
  if (outcome.status != workers::RunStatus::timeout) {
    for (workers::LogLine& line : outcome.logs) {
      view.logs.push_back({std::string(nameOf(line.level)), std::move(line.message), line.at});
    }
  }
  if (outcome.status != workers::RunStatus::success) {
    view.error = errorOf(outcome);
  } else if (outcome.result.type() != doc::BsonType::null) {
    view.result = std::move(outcome.result);
  }
  return view;
}

void noteAbort(RunView& run) {
  if (!run.result) return;
  const auto answer = hookResult(*run.result);
  if (answer && answer->abort) run.status = "aborted";
}

std::shared_ptr<workers::Bridge> FunctionRunner::bridgeOf(const Invocation& invocation,
                                                          std::chrono::milliseconds timeout,
                                                          ProjectHost::Refusal refused,
                                                          std::shared_ptr<CallLog> calls) const {
  auto host = std::make_unique<ProjectHost>(deps_.host, invocation.project->info().id, std::move(refused));
  RunBridge::Run run;
  run.actor = actorOf(invocation.function->record.functionId, invocation.depth);
  run.trace = invocation.trace;
  run.deadline = std::chrono::steady_clock::now() + timeout + kWaiting;
  run.kind = bridgeKindOf(*invocation.function);
  run.calls = std::move(calls);
  return std::make_shared<RunBridge>(std::move(host), deps_.documents, std::move(run));
}

std::optional<int64_t> FunctionRunner::maxRuns(const Invocation& invocation) const {
  if (!isMetered(invocation)) return std::nullopt;
  return invocation.project->get(deps_.plan).max(plans::Limit::functionRunsPerMonth);
}

bool FunctionRunner::isTaken(const Invocation& invocation) const {
  if (maxRuns(invocation)) return true;
  const bool billed = !invocation.project->get(deps_.plan).slug.empty();
  return billed && invocation.countedByCaller && isMetered(invocation);
}

Task<> FunctionRunner::admit(Invocation& invocation) {
  if (!isTaken(invocation)) co_return Result<>();
  const std::optional<int64_t> max = maxRuns(invocation);
  const Timestamp now = deps_.clock.now();
  Result<RunQuota::Taken> taken = co_await deps_.log.take(invocation.project->info().number, now,
                                                          max.value_or(std::numeric_limits<int64_t>::max()));
  if (!taken && !max) co_return Result<>();
  if (!taken) co_return fail(std::move(taken).error());
  if (!taken->permit) {
    const plans::PlanInForce& plan = invocation.project->get(deps_.plan);
    co_return fail(plans::exceeded(plan, plans::Limit::functionRunsPerMonth, *max, taken->use)
                       .withRetryAfter(secondsToNextMonth(now)));
  }
  invocation.permit = std::move(taken->permit);
  co_return Result<>();
}

Task<FinishedRun> FunctionRunner::run(Invocation invocation) {
  if (!invocation.permit && maxRuns(invocation)) CO_RETURN_IF_ERROR(co_await admit(invocation));
  const std::chrono::milliseconds timeout = timeoutOf(invocation);
  workers::RunRequest request;
  request.project = invocation.project->info().number;
  request.module = invocation.function->module;
  request.context = contextOf(invocation, deps_.variables.table(*invocation.project));
  std::optional<RunInput> input = inputOf(invocation);
  request.event = std::move(invocation.event);
  request.rawBody = std::move(invocation.rawBody);
  request.timeout = timeout;
  request.runClass = invocation.runClass;
  const auto refused = std::make_shared<std::atomic<bool>>(false);
  const auto calls = std::make_shared<CallLog>();
  request.bridge = bridgeOf(invocation, timeout, refused, calls);
  // The month in which the run was taken is the one in which it counts.
  const Timestamp startedAt = invocation.permit ? invocation.permit->at() : deps_.clock.now();
  workers::RunOutcome outcome = co_await deps_.executor.run(std::move(request));

  FinishedRun finished;
  finished.status = outcome.status;
  finished.stopped = outcome.stopped;
  finished.killed = outcome.killed;
  finished.endedWorker = outcome.endedWorker;
  finished.suspended = *refused;
  finished.view = viewOf(std::move(outcome), "run_" + deps_.ids.next(), std::move(invocation.trigger), startedAt);
  finished.view.attempt = invocation.attempt;
  finished.view.retryOf = std::move(invocation.retryOf);
  std::vector<RunCall> made = calls->calls(std::chrono::steady_clock::now());
  if (!made.empty()) finished.view.calls = std::move(made);
  if (finished.status == workers::RunStatus::busy) co_return finished;
  if (invocation.runClass == workers::RunClass::preHook) noteAbort(finished.view);
  if (invocation.countedByCaller) finished.permit = std::exchange(invocation.permit, std::nullopt);
  if (invocation.logged) {
    deps_.log.add(runOf(*invocation.project, *invocation.function), loggedView(finished.view),
                  {.counted = true, .metered = isMetered(invocation) && !invocation.countedByCaller}, std::move(input),
                  std::move(invocation.permit));
  }
  co_return finished;
}

void FunctionRunner::logSkipped(Invocation invocation, std::string why) {
  RunView view;
  view.id = "run_" + deps_.ids.next();
  view.trigger = std::move(invocation.trigger);
  view.status = "skipped";
  view.startedAt = deps_.clock.now();
  view.error = std::move(why);
  view.attempt = invocation.attempt;
  view.retryOf = std::move(invocation.retryOf);
  deps_.log.add(runOf(*invocation.project, *invocation.function), std::move(view), {.counted = false, .metered = false},
                inputOf(invocation));
}

}  // namespace mb::functions
