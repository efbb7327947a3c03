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

// What the document was when the hooks saw it, and what they made of it.
struct Hooked {
  std::optional<doc::Document> before;
  std::optional<doc::Document> draft;
};

namespace {

// In the write callback: what becomes of the document. Returns a copy for the answer. Fails with ErrorCode::retry where
// it is another document than the hooks saw.
Result<std::optional<doc::Document>> computeChange(const Judgement& judgement, const Hooked* hooked,
                                                   store::Target target, const std::optional<doc::Document>& before,
                                                   store::Changes& changes) {
  const Intent& intent = judgement.intent;
  if (hooked && hooked->before != before) {
    return fail(ErrorCode::retry, "the document changed while its hooks ran");
  }
  CHECK(checkTarget(judgement, before));
  std::optional<doc::Document> written;
  if (intent.event == WriteEvent::remove) {
    changes.remove(target);
    return written;
  }
  std::optional<doc::Document> drafted;
  if (!hooked && intent.event != WriteEvent::insert) {
    TRY(drafted, draft(judgement, before));
  }
  const doc::Document& source = hooked ? *hooked->draft : drafted ? *drafted : intent.body;
  TRY(doc::Document settled, settle(judgement, before, source));
  if (before && changesNothing(judgement, *before, settled)) {
    written = before;
    return written;
  }
  written = settled;
  if (intent.event == WriteEvent::replace) {
    changes.replace(target, std::move(settled));
  } else {
    changes.put(target, std::move(settled));
  }
  return written;
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

Task<std::optional<doc::Document>> Documents::Impl::commit(const Access& access, const Grant& grant,
                                                           const Intent& intent, const Hooked* hooked) {
  store::Write write(optionsOf(access));
  const store::Target target = write.change(store::WriteTarget{grant.collection->ref, intent.id, intent.fresh});
  // No coroutine of its own: writeReturning() is one already.
  return store::writeReturning(
      deps.store, std::move(write),
      [&grant = std::as_const(grant), &intent = std::as_const(intent), &caller = std::as_const(access.caller), hooked,
       target, &clock = std::as_const(deps.clock)](const store::PreImages& before, store::Changes& changes) {
        // The time under the lock: a later write has a later time.
        const Judgement judgement{grant, intent, caller, clock.now()};
        return computeChange(judgement, hooked, target, before[target], changes);
      });
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

    auto written = co_await commit(access, grant, intent, &hooked);
    if (written || written.error().code() != ErrorCode::retry) co_return written;
    if (budget.rounds == 0 || std::chrono::steady_clock::now() >= budget.deadline) {
      co_return fail(ErrorCode::conflict, "the document kept changing while its hooks ran, try again");
    }
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
        hooks ? co_await writeHooked(access, grant, intent, budget) : co_await commit(access, grant, intent, nullptr);
    if (written) {
      if (!*written) co_return VisibleDocument{};
      co_return VisibleDocument{**std::move(written), grant.hidden()};
    }
    const Violation* refusal = store::indexViolation(written.error());
    if (refusal) co_return fail(violation(grant, refusal->name));
    if (written.error().code() != ErrorCode::staleCatalogue) co_return fail(std::move(written).error());
    if (tries == kMaxStaleTries) {
      co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
    }
    CO_TRY(project, co_await deps.snapshots.byNumber(project->info().number));
    if (!project) co_return fail(ErrorCode::notFound, "no such project");
  }
}

}  // namespace mb::data
