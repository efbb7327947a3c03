// The write path: from a request to a committed change (docs/engine.md, "Writing" 1 to 3).
#include <chrono>

#include "base/cancellation.h"
#include "data/deletion.h"
#include "data/documents_impl.h"
#include "data/reference_checks.h"
#include "data/vector_quota.h"

namespace mb::data {
namespace {

constexpr int kMaxHookRounds = 3;
constexpr std::chrono::seconds kHookChain{5};
// The largest body that is parsed and evaluated without yielding the core in between.
constexpr size_t kMaxUnyieldedBytes = 32 << 10;

}  // namespace

Error violation(const Grant& grant, const std::string& index) {
  Error hidden(ErrorCode::conflict, "a value that must be unique is taken");
  for (const store::IndexInfo& each : grant.collection->info.indexes) {
    if (each.spec.name != index) continue;
    for (const store::IndexKey& key : each.spec.keys) {
      if (grant.denied().touches(key.path)) return hidden;
    }
    // The set of documents in the index may depend on a hidden field too.
    const auto partial = each.spec.partialFilter ? doc::Filter::parse(*each.spec.partialFilter) : doc::Filter();
    if (!partial || !policy::refuseDeniedFields(*partial, grant.denied())) return hidden;
  }
  return Error(ErrorCode::conflict, "the unique index \"" + index + "\" already holds this value");
}

// The document that the hooks were called with, and the draft that they returned.
struct Hooked {
  std::optional<doc::Document> before;
  std::optional<doc::Document> draft;
};

namespace {

// Called in the write callback: computes the change of the document and returns a copy for the response, with the
// version before. Fails with ErrorCode::retry if the document has changed since the hooks ran, with staleCatalogue if
// the caller's sets have changed since the grant.
Result<Written> computeChange(const EvaluationContext& context, const Hooked* hooked, store::Target target,
                              const std::optional<doc::Document>& before, store::Changes& changes) {
  const WriteRequest& request = context.request;
  if (hooked && hooked->before != before) {
    return fail(ErrorCode::retry, "the document changed while its hooks ran");
  }
  // The caller of commit() reads them, and evaluates the rule, again.
  if (context.grant.sets.changed()) return fail(ErrorCode::staleCatalogue, "the caller's sets changed");
  TRY(std::optional<doc::Document> computed,
      computeDocument(context, before, hooked && hooked->draft ? &*hooked->draft : nullptr));
  if (!computed) {
    changes.remove(target);
    return Written{};
  }
  if (before && changesNothing(context, *before, *computed)) return Written{before, context.version};
  Written written{computed, context.version};
  if (request.event == WriteEvent::replace) {
    changes.replace(target, *std::move(computed));
  } else {
    changes.put(target, *std::move(computed));
  }
  return written;
}

// Runs a write whose callback returns what it leaves of `target`, and returns that with its version.
template <class Callback>
Task<Written> writeVersioned(store::DocumentStore& store, store::Write write, store::Target target, Callback callback) {
  CO_TRY(auto done, co_await store::writeWithOutcome(store, std::move(write), std::move(callback)));
  if (const store::DocumentVersion stored = done.second.version(target)) done.first.version = stored;
  co_return std::move(done.first);
}

store::WriteOptions optionsOf(const Access& access) {
  store::WriteOptions options;
  options.deadline = access.deadline;
  options.actor = actorOf(access.caller);
  options.trace = access.caller.trace;
  return options;
}

// Of a write that may add vectors.
store::WriteOptions limitedOptionsOf(const DataDeps& deps, const Access& access, const Grant& grant) {
  store::WriteOptions options = optionsOf(access);
  if (!grant.collection->manualVectors.empty()) {
    options.limits = VectorQuota(deps.store, deps.plan).limits(*grant.project);
  }
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

Task<Written> Documents::Impl::commit(const Access& access, const Grant& grant, const WriteRequest& request,
                                      const Hooked* hooked) {
  const bool deletes = request.event == WriteEvent::remove;
  if (deletes && !grant.collection->referrers.empty()) return commitDeletion(access, grant, request, hooked);
  if (!deletes && grant.collection->checksReferences) return commitChecked(access, grant, request, hooked);
  store::Write write(limitedOptionsOf(deps, access, grant));
  const store::Target target = write.change(store::WriteTarget{grant.collection->ref, request.id, request.idIsNew});
  VectorRows vectors(*grant.collection);
  vectors.name(write, target, request.id, request.idIsNew);
  // Not a coroutine itself: writeVersioned() is one already.
  return writeVersioned(deps.store, std::move(write), target,
                        [&grant = std::as_const(grant), &request = std::as_const(request),
                         &caller = std::as_const(access.caller), hooked, target, vectors = std::move(vectors),
                         &clock = std::as_const(deps.clock)](const store::PreImages& before, store::Changes& changes) {
                          // The time is read under the lock, so that a later write has a later time.
                          const EvaluationContext context{grant, request, caller, clock.now(), before.version(target)};
                          auto computed = computeChange(context, hooked, target, before[target], changes);
                          if (computed) vectors.follow(before, changes);
                          return computed;
                        });
}

namespace {

// Called in the write callback of commitChecked().
struct Checked {
  Written written;
  ReferenceChecks::Outcome references;  // not held: nothing is written
};
Result<Checked> computeChecked(const EvaluationContext& context, const Hooked* hooked, store::Target target,
                               const ReferenceChecks& checks, const ReferenceChecks::Targets& held,
                               const store::PreImages& images, store::Changes& changes) {
  const std::optional<doc::Document>& before = images[target];
  if (checks.outdated()) return fail(ErrorCode::staleCatalogue, "the caller's sets changed");
  Checked checked;
  TRY(checked.written, computeChange(context, hooked, target, before, changes));
  if (!checked.written.document) return checked;
  TRY(checked.references,
      checks.check({before ? &*before : nullptr, *checked.written.document}, held, images, unreportedFields(context)));
  if (!checked.references.held) changes.set(target, store::Change::keep());
  return checked;
}

}  // namespace

Task<Written> Documents::Impl::commitChecked(const Access& access, const Grant& grant, const WriteRequest& request,
                                             const Hooked* hooked) {
  CO_TRY(const ReferenceChecks checks, co_await ReferenceChecks::ofCaller(access, grant, grants));
  ReferenceChecks::Keys keys;
  if (request.event == WriteEvent::insert) keys = checks.guess(hooked ? *hooked->draft : request.body);
  for (int round = 0; round < kMaxReferenceRounds; ++round) {
    store::Write write(limitedOptionsOf(deps, access, grant));
    const store::Target target = write.change(store::WriteTarget{grant.collection->ref, request.id, request.idIsNew});
    VectorRows vectors(*grant.collection);
    vectors.name(write, target, request.id, request.idIsNew);
    const ReferenceChecks::Targets held = checks.hold(write, keys);
    CO_TRY(auto done,
           co_await store::writeWithOutcome(
               deps.store, std::move(write),
               [&grant = std::as_const(grant), &request = std::as_const(request),
                &caller = std::as_const(access.caller), hooked, target, &checks = std::as_const(checks),
                &held = std::as_const(held), &vectors = std::as_const(vectors),
                &clock = std::as_const(deps.clock)](const store::PreImages& before, store::Changes& changes) {
                 const EvaluationContext context{grant, request, caller, clock.now(), before.version(target)};
                 auto computed = computeChecked(context, hooked, target, checks, held, before, changes);
                 if (computed) vectors.follow(before, changes);
                 return computed;
               }));
    auto& [checked, outcome] = done;
    if (const store::DocumentVersion stored = outcome.version(target)) checked.written.version = stored;
    if (checked.references.held) co_return std::move(checked.written);
    keys = std::move(checked.references.needed);
  }
  co_return fail(ErrorCode::unavailable, "the references of the document kept changing, try again");
}

Task<Written> Documents::Impl::commitDeletion(const Access& access, const Grant& grant, const WriteRequest& request,
                                              const Hooked* hooked) {
  TableFinder finder(grants.table(*grant.project));
  CO_TRY(const Deletion deletion, co_await Deletion::of(deps, finder, *grant.collection, access.caller.trace));
  store::Write write(optionsOf(access));
  CO_TRY(const Deletion::Removal removal, deletion.name(write, grant.collection->ref, request.id));
  VectorRows vectors(*grant.collection);
  vectors.name(write, removal.document, request.id);
  auto done = co_await store::writeReturning(
      deps.store, std::move(write),
      [&grant = std::as_const(grant), &request = std::as_const(request), &caller = std::as_const(access.caller), hooked,
       &removal = std::as_const(removal), &vectors = std::as_const(vectors),
       &clock = std::as_const(deps.clock)](const store::PreImages& before, store::Changes& changes) {
        const EvaluationContext context{grant, request, caller, clock.now(), before.version(removal.document)};
        auto computed = computeChange(context, hooked, removal.document, before[removal.document], changes);
        if (computed) {
          Deletion::remove(removal, changes);
          vectors.follow(before, changes);
        }
        return computed;
      });
  if (done) deletion.wake({&removal, 1});
  if (done || !store::refusedCondition(done.error())) co_return done;
  // The store checked the references before the callback: whether the document exists, the caller may see it, and it
  // has the version that the request demands, comes first.
  CO_TRY(std::optional<store::VersionedDocument> before,
         co_await deps.store.getVersioned(grant.collection->ref, request.id, {access.deadline}));
  const store::DocumentVersion version = before ? before->version : 0;
  CO_RETURN_IF_ERROR(checkTarget({grant, request, access.caller, deps.clock.now(), version},
                                 before ? std::optional(std::move(before->document)) : std::nullopt));
  co_return fail(Deletion::refusal(done.error()));
}

Task<Written> Documents::Impl::writeHooked(const Access& access, const Grant& grant, const WriteRequest& request,
                                           HookBudget& budget) {
  while (true) {
    --budget.rounds;
    Hooked hooked;
    CO_TRY(std::optional<store::VersionedDocument> stored,
           co_await deps.store.getVersioned(grant.collection->ref, request.id, {access.deadline}));
    if (stored) hooked.before = std::move(stored->document);
    const EvaluationContext context{grant, request, access.caller, deps.clock.now(), stored ? stored->version : 0};
    CO_TRY(hooked.draft, computeDocument(context, hooked.before, nullptr));
    const HookedWrite hookedWrite{grant.project,
                                  *grant.collection,
                                  request.event,
                                  request.id,
                                  access.caller,
                                  hooked.before ? std::optional(hooked.before->view()) : std::nullopt,
                                  hooked.draft ? std::optional(hooked.draft->view()) : std::nullopt};
    CO_TRY(std::optional<doc::Document> replaced, co_await preHook->run(hookedWrite, budget.deadline));
    if (replaced && request.event != WriteEvent::remove) hooked.draft = std::move(replaced);

    auto written = co_await commit(access, grant, request, &hooked);
    if (written || written.error().code() != ErrorCode::retry) co_return written;
    if (budget.rounds == 0 || std::chrono::steady_clock::now() >= budget.deadline) {
      co_return fail(ErrorCode::conflict, "the document kept changing while its hooks ran, try again");
    }
  }
}

Task<VisibleDocument> Documents::Impl::write(const Access& access, const std::string& collection,
                                             WriteRequest request) {
  snapshot::SnapshotPtr project = access.project;
  HookBudget budget{std::min(access.deadline, std::chrono::steady_clock::now() + kHookChain), kMaxHookRounds};
  for (int attempt = 1;; ++attempt) {
    CO_TRY(Grant grant, grants.find({access.caller, project, access.authority, access.deadline}, collection,
                                    operationOf(request.event)));
    if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await grants.complete(grant, access.caller, access.deadline));
    CO_RETURN_IF_ERROR(parseWriteRequest(request, grant));
    if (request.body.size() > kMaxUnyieldedBytes) CO_RETURN_IF_ERROR(co_await yieldCore());
    const bool hooks = hooked(grant, request);
    if (hooks && attempt > 1 && (budget.rounds == 0 || std::chrono::steady_clock::now() >= budget.deadline)) {
      co_return fail(ErrorCode::unavailable, "the collection kept changing while the hooks ran, try again");
    }
    auto written =
        hooks ? co_await writeHooked(access, grant, request, budget) : co_await commit(access, grant, request, nullptr);
    if (written) {
      if (!written->document) co_return VisibleDocument{};
      co_return VisibleDocument{*std::move(written->document), grant.hidden(), written->version};
    }
    const Violation* refusal = store::indexViolation(written.error());
    if (refusal) co_return fail(violation(grant, refusal->name));
    if (VectorQuota::refused(written.error())) {
      co_return fail(co_await VectorQuota(deps.store, deps.plan).explained(project, std::move(written).error()));
    }
    if (written.error().code() != ErrorCode::staleCatalogue) co_return fail(std::move(written).error());
    if (attempt == kMaxStaleAttempts) {
      co_return fail(ErrorCode::unavailable, "the collection is being changed, try again");
    }
    CO_TRY(project, co_await deps.snapshots.byNumber(project->info().number));
    if (!project) co_return fail(ErrorCode::notFound, "no such project");
  }
}

}  // namespace mb::data
