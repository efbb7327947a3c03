#include "functions/pre_hooks.h"

#include <algorithm>

#include "events/subscription.h"
#include "functions/database_event.h"
#include "functions/hook_result.h"

namespace mb::functions {

namespace {

using Kind = store::ChangeEntry::Kind;

Kind kindOf(data::WriteEvent event) {
  switch (event) {
    case data::WriteEvent::insert:
      return Kind::insert;
    case data::WriteEvent::update:
      return Kind::update;
    case data::WriteEvent::replace:
      return Kind::replace;
    case data::WriteEvent::remove:
      break;
  }
  return Kind::remove;
}

Error hookFailed(const Function& function, std::string_view what) {
  return Error(ErrorCode::validation,
               fmt::format("the function \"{}\" {}, so nothing was written", function.name(), what));
}

Error rejected(const Function& function, std::string reason) {
  if (!reason.empty()) return Error(ErrorCode::validation, std::move(reason));
  return Error(ErrorCode::validation, fmt::format("the function \"{}\" rejected this", function.name()));
}

}  // namespace

Error functionsBusy() {
  return Error(ErrorCode::functionsBusy, "all workers for functions are busy, try again").withRetryAfter(1);
}

const std::vector<FunctionPtr>* PreHooks::hooksOf(const snapshot::ProjectSnapshot& project,
                                                  const data::Collection& collection) const {
  const FunctionTable& table = project.get(deps_.slot);
  const auto found = table.pre.find(collection.info.number);
  return found == table.pre.end() ? nullptr : &found->second;
}

bool PreHooks::wants(const snapshot::ProjectSnapshot& project, const data::Collection& collection,
                     data::WriteEvent event) const {
  const std::vector<FunctionPtr>* hooks = hooksOf(project, collection);
  if (hooks == nullptr) return false;
  return std::ranges::any_of(*hooks, [&](const FunctionPtr& hook) { return functions::wants(*hook, kindOf(event)); });
}

Task<std::optional<doc::Document>> PreHooks::run(const data::HookedWrite& write,
                                                 std::chrono::steady_clock::time_point deadline) {
  const Kind kind = kindOf(write.event);
  std::optional<doc::Document> replaced;
  for (const FunctionPtr& hook : *hooksOf(*write.project, write.collection)) {
    if (!functions::wants(*hook, kind)) continue;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) co_return fail(hookFailed(*hook, "had no time left"));
    const std::optional<doc::DocumentView> shown = replaced ? std::optional(replaced->view()) : write.document;
    Invocation invocation;
    invocation.project = write.project;
    invocation.function = hook;
    invocation.trigger = "database";
    invocation.event = encodeEvent({events::eventName(kind), write.collection.name(), write.id, shown, write.previous});
    invocation.caller = write.caller;
    invocation.runClass = workers::RunClass::preHook;
    invocation.timeout = std::min(left, kMaxHookTime);
    CO_TRY(FinishedRun run, co_await deps_.runner.run(std::move(invocation)));
    if (run.status == workers::RunStatus::busy) co_return fail(functionsBusy());
    if (run.status == workers::RunStatus::timeout) co_return fail(hookFailed(*hook, "timed out"));
    if (run.status != workers::RunStatus::success) co_return fail(hookFailed(*hook, "failed"));
    if (!run.view.result) continue;
    auto answer = hookResult(*run.view.result);
    if (!answer) co_return fail(hookFailed(*hook, "failed: " + answer.error().message()));
    if (answer->abort) co_return fail(rejected(*hook, *std::move(answer->abort)));
    if (answer->document && shown) replaced = withOriginalTypes(*shown, *answer->document);
  }
  co_return replaced;
}

}  // namespace mb::functions
