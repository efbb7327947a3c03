// The write path: from an intent to a committed change. Source: docs/engine.md 1.1 to 1.3.
#include <chrono>

#include "base/cancellation.h"
#include "data/documents_impl.h"

namespace mb::data {
namespace {

constexpr int kMaxHookRounds = 3;
constexpr std::chrono::seconds kHookChain{5};
// Of a body that is parsed and evaluated without giving others a turn in between.
constexpr size_t kMaxOneTurnBytes = 32 << 10;

}  // namespace

Error violation(const Grant& grant, const std::string& index) {
  Error hidden(ErrorCode::conflict, "a value that must be unique is taken");
  for (const store::IndexInfo& each : grant.collection->info.indexes) {
    if (each.spec.name != index) continue;
    for (const store::IndexKey& key : each.spec.keys) {
      if (grant.denied().touches(key.path)) return hidden;
    }
    // Which documents the index holds may hang on a hidden field too.
    const auto partial = each.spec.partialFilter ? doc::Filter::parse(*each.spec.partialFilter) : doc::Filter();
    if (!partial || !policy::refuseDeniedFields(*partial, grant.denied())) return hidden;
  }
  return Error(ErrorCode::conflict, "the unique index \"" + index + "\" already holds this value");
}

namespace {

store::Change changeTo(WriteEvent event, doc::Document document) {
  return event == WriteEvent::replace ? store::Change::replace(std::move(document))
                                      : store::Change::put(std::move(document));
}

// What the document was when the hooks saw it, and what they made of it.
struct Hooked {
  std::optional<doc::Document> before;
  std::optional<doc::Document> draft;
  bool overtaken = false;  // set by judge(): the document is another by now
};

// Under the lock: what becomes of the document. `written` keeps a copy for the answer.
Result<std::vector<store::Change>> judge(const Judgement& judgement, const std::optional<doc::Document>& before,
                                         Hooked* hooked, std::optional<doc::Document>& written) {
  const Intent& intent = judgement.intent;
  if (hooked && hooked->before != before) {
    hooked->overtaken = true;
    return fail(ErrorCode::conflict, "the document kept changing while its hooks ran, try again");
  }
  CHECK(checkTarget(judgement, before));
  std::vector<store::Change> changes;
  if (intent.event == WriteEvent::remove) {
    changes.push_back(store::Change::remove());
    return changes;
  }
  std::optional<doc::Document> drafted;
  if (hooked) {
    drafted = std::move(hooked->draft);
  } else if (intent.event != WriteEvent::insert) {
    TRY(drafted, draft(judgement, before));
  }
  TRY(doc::Document settled, settle(judgement, before, drafted ? *drafted : intent.body));
  if (before && changesNothing(judgement, *before, settled)) {
    written = before;
    changes.push_back(store::Change::keep());
    return changes;
  }
  written = settled;
  changes.push_back(changeTo(intent.event, std::move(settled)));
  return changes;
}

std::vector<store::WriteTarget> targetOf(const Grant& grant, const Intent& intent) {
  std::vector<store::WriteTarget> targets;
  targets.push_back({grant.collection->ref, intent.id, intent.fresh});
  return targets;
}

store::WriteOptions optionsOf(const Access& access) {
  store::WriteOptions options;
  options.deadline = access.deadline;
  options.actor = actorOf(access.caller);
  return options;
}

}  // namespace

policy::Operation operationOf(WriteEvent event) {
  switch (event) {
    case WriteEvent::insert:
      return policy::Operation::create;
    case WriteEvent::update:
    case WriteEvent::replace:
      return policy::Operation::update;
    case WriteEvent::remove:
      break;
  }
  return policy::Operation::remove;
}

Task<std::optional<doc::Document>> Documents::Impl::writeOnce(const Access& access, const Grant& grant,
                                                              const Intent& intent) {
  std::optional<doc::Document> written;
  CO_TRY(const store::JudgeOutcome outcome, co_await deps.store.write(
                                                targetOf(grant, intent),
                                                [&](std::span<const std::optional<doc::Document>> before) {
                                                  // The time under the lock: who comes later is later.
                                                  const Judgement judgement{grant, intent, access.caller,
                                                                            deps.clock.now()};
                                                  return judge(judgement, before.front(), nullptr, written);
                                                },
                                                optionsOf(access)));
  if (!outcome.committed()) co_return fail(violation(grant, outcome.violatedIndex));
  co_return std::move(written);
}

Task<std::optional<doc::Document>> Documents::Impl::writeHooked(const Access& access, const Grant& grant,
                                                                const Intent& intent, HookBudget& budget) {
  while (true) {
    --budget.rounds;
    const Judgement judgement{grant, intent, access.caller, deps.clock.now()};
    Hooked hooked;
    CO_TRY(hooked.before, co_await deps.store.get(grant.collection->ref, intent.id));
    CO_CHECK(checkTarget(judgement, hooked.before));
    if (intent.event != WriteEvent::remove) {
      CO_TRY(const doc::Document drafted, draft(judgement, hooked.before));
      CO_TRY(hooked.draft, settle(judgement, hooked.before, drafted));
    }
    const HookedWrite shown{grant.project,
                            *grant.collection,
                            intent.event,
                            intent.id,
                            access.caller,
                            hooked.before ? std::optional(hooked.before->view()) : std::nullopt,
                            hooked.draft ? std::optional(hooked.draft->view()) : std::nullopt};
    CO_TRY(std::optional<doc::Document> replaced, co_await preHook->run(shown, budget.deadline));
    if (replaced && intent.event != WriteEvent::remove) hooked.draft = std::move(replaced);

    std::optional<doc::Document> written;
    auto outcome = co_await deps.store.write(
        targetOf(grant, intent),
        [&](std::span<const std::optional<doc::Document>> before) {
          return judge({grant, intent, access.caller, deps.clock.now()}, before.front(), &hooked, written);
        },
        optionsOf(access));
    if (outcome && outcome->committed()) co_return std::move(written);
    if (outcome) co_return fail(violation(grant, outcome->violatedIndex));
    const bool again = hooked.overtaken && budget.rounds > 0 && std::chrono::steady_clock::now() < budget.deadline;
    if (!again) co_return fail(std::move(outcome).error());
  }
}

Task<VisibleDocument> Documents::Impl::write(const Access& access, const std::string& collection, Intent intent) {
  snapshot::SnapshotPtr project = access.project;
  HookBudget budget{std::min(access.deadline, std::chrono::steady_clock::now() + kHookChain), kMaxHookRounds};
  for (int tries = 1;; ++tries) {
    CO_TRY(const Grant grant,
           grantFor(access.caller, project, slot, collection, operationOf(intent.event), access.authority));
    CO_CHECK(readIntent(intent, grant));
    if (intent.body.size() > kMaxOneTurnBytes) CO_CHECK(co_await yieldCore());
    const bool hooks = hooked(grant, intent);
    if (hooks && tries > 1 && (budget.rounds == 0 || std::chrono::steady_clock::now() >= budget.deadline)) {
      co_return fail(ErrorCode::unavailable, "the collection kept changing while the hooks ran, try again");
    }
    auto written =
        hooks ? co_await writeHooked(access, grant, intent, budget) : co_await writeOnce(access, grant, intent);
    if (written) {
      if (!*written) co_return VisibleDocument{};
      co_return VisibleDocument{**std::move(written), grant.hidden()};
    }
    if (written.error().code() != ErrorCode::staleCatalogue) co_return fail(std::move(written).error());
    if (tries == kMaxStaleTries) {
      co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
    }
    CO_TRY(project, co_await deps.snapshots.byNumber(project->info().number));
    if (!project) co_return fail(ErrorCode::notFound, "no such project");
  }
}

}  // namespace mb::data
