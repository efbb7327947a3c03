#include "data/service_documents.h"

#include <algorithm>

#include "base/work_budget.h"
#include "data/data_deps.h"
#include "data/deletion.h"
#include "data/halve.h"
#include "data/reference_checks.h"
#include "data/vector_quota.h"
#include "data/write.h"

namespace mb::data {

namespace {

constexpr uint64_t kPerCommit = 100;

const policy::Caller& asServer() {
  static const policy::Caller caller = [] {
    policy::Caller server;
    server.kind = policy::CallerKind::server;
    return server;
  }();
  return caller;
}

// A grant with Authority::admin and no rule.
Grant grantOn(const Collection& collection) {
  Grant grant;
  grant.collection = &collection;
  return grant;
}

store::WriteOptions optionsOf(const ServiceAccess& access) {
  store::WriteOptions options;
  options.deadline = access.deadline;
  options.actor = access.actor;
  options.logged = access.logged;
  options.trace = access.trace;
  return options;
}

// A scratch database counts no vectors.
std::optional<VectorRows> vectorRowsOf(const ServiceAccess& access, const Collection& collection) {
  return access.logged ? std::optional<VectorRows>(collection) : std::nullopt;
}

Result<> checkContinue(const ServiceAccess& access, int staleAttempts) {
  if (access.aborted.stop_requested()) return fail(ErrorCode::unavailable, "the run has ended");
  if (std::chrono::steady_clock::now() >= access.deadline) {
    return fail(ErrorCode::unavailable, "the deadline of the run has passed");
  }
  if (staleAttempts < kMaxStaleAttempts) return {};
  return fail(ErrorCode::unavailable, "the collection is being changed, try again");
}

bool isStale(const Error& error) {
  return error.code() == ErrorCode::staleCatalogue;
}

}  // namespace

// The state of an update of many documents. Must not be moved: the parsed update refers to the filter.
struct ServiceDocuments::ManyUpdate {
  const doc::Document filterSource;
  const std::optional<doc::Document> arrayFilters;
  const bool removes = false;
  WriteRequest request;
  doc::Filter filter = {};
  UpdateCounts counts = {};
  std::optional<Error> problem = {};  // of the first document that could not be changed

  // Parses filter and update with the collection's schema.
  Result<> read(const Collection& collection) {
    const WorkBudget work(kCoreWork);
    TRY(filter, doc::Filter::parse(filterSource, &collection.coercion()));
    if (removes) return work.check();
    request.options.positional = true;
    request.options.query = &filter;
    if (arrayFilters) {
      TRY(request.options.arrayFilters, doc::parseArrayFilters(*arrayFilters, &collection.coercion()));
    }
    RETURN_IF_ERROR(work.check());
    return parseWriteRequest(request, grantOn(collection));
  }
  // The change of a document that matches.
  Result<store::Change> changed(const Grant& grant, const std::optional<doc::Document>& before, Timestamp now) const {
    if (removes) return store::Change::remove();
    const EvaluationContext context{grant, request, asServer(), now};
    TRY(doc::Document drafted, draft(context, before));
    if (drafted == before) return store::Change::keep();
    TRY(doc::Document finalized, finalizeDocument(context, before, drafted));
    if (changesNothing(context, *before, finalized)) return store::Change::keep();
    return store::Change::put(std::move(finalized));
  }

  // What the commits for one page share.
  struct PageReferences {
    std::optional<ReferenceChecks> checks;  // unset: no references are checked
    ReferenceChecks::Keys held;             // what the next commit holds
    Deletion deletion;
  };
  Task<PageReferences> prepare(const DataDeps& deps, const ServiceAccess& access, const Collection& collection) const {
    PageReferences page;
    if (!access.logged) co_return page;
    if (removes && !collection.referrers.empty()) {
      CO_TRY(page.deletion, co_await Deletion::of(deps, access.collections, collection, access.trace));
    }
    if (!removes && collection.checksReferences) {
      CO_TRY(page.checks, co_await ReferenceChecks::ofService(access.collections, collection));
    }
    co_return page;
  }

  struct Commit {
    UpdateCounts counts;
    std::optional<Error> problem;         // of the first document that cannot be changed; later ones are not changed
    ReferenceChecks::Outcome references;  // not held: nothing is changed
  };
  Commit computeChanges(const Grant& grant, const std::vector<Deletion::Removal>& documents, const PageReferences& page,
                        const ReferenceChecks::Targets& held, const store::PreImages& before, store::Changes& changes,
                        Timestamp now) const {
    Commit commit;
    for (const Deletion::Removal& each : documents) {
      const std::optional<doc::Document>& document = before[each.document];
      if (!document || !filter.matches(*document)) continue;
      Result<store::Change> change = changed(grant, document, now);
      if (change && page.checks) change = checkReferences(page, *document, *std::move(change), held, before, commit);
      if (!change) {
        commit.problem = std::move(change).error();
        break;
      }
      ++commit.counts.matched;
      if (change->kind != store::Change::Kind::keep) ++commit.counts.modified;
      if (removes) {
        Deletion::remove(each, changes);
      } else {
        changes.set(each.document, *std::move(change));
      }
    }
    if (commit.references.held) return commit;
    for (const Deletion::Removal& each : documents) changes.set(each.document, store::Change::keep());
    return {{}, {}, std::move(commit.references)};
  }
  static Result<store::Change> checkReferences(const PageReferences& page, const doc::Document& before,
                                               store::Change change, const ReferenceChecks::Targets& held,
                                               const store::PreImages& images, Commit& commit) {
    if (change.kind != store::Change::Kind::put) return change;
    TRY(ReferenceChecks::Outcome outcome, page.checks->check({&before, change.after}, held, images, {}));
    commit.references.needed.merge(outcome.needed);
    commit.references.held = commit.references.held && outcome.held;
    return change;
  }

  Task<Commit> commit(const DataDeps& deps, const ServiceAccess& access, const Collection& collection,
                      const PageReferences& page, const std::vector<std::string>& ids) const {
    const Grant grant = grantOn(collection);
    store::Write write(optionsOf(access));
    if (access.logged) {
      CO_TRY(write.options.limits, co_await vectorLimits(deps, collection));
    }
    std::vector<Deletion::Removal> documents;
    documents.reserve(ids.size());
    for (const std::string& id : ids) {
      CO_TRY(Deletion::Removal each, page.deletion.name(write, collection.ref, id));
      documents.push_back(std::move(each));
    }
    std::optional<VectorRows> vectors = vectorRowsOf(access, collection);
    for (size_t i = 0; vectors && i < ids.size(); ++i) vectors->name(write, documents[i].document, ids[i]);
    ReferenceChecks::Targets held;
    if (page.checks) held = page.checks->hold(write, page.held);
    CO_TRY(Commit commit,
           co_await store::writeReturning(
               deps.store, std::move(write),
               [&update = std::as_const(*this), &grant = std::as_const(grant), &documents = std::as_const(documents),
                &page = std::as_const(page), &held = std::as_const(held), &vectors = std::as_const(vectors),
                &clock = std::as_const(deps.clock)](const store::PreImages& before,
                                                    store::Changes& changes) -> Result<Commit> {
                 auto commit = update.computeChanges(grant, documents, page, held, before, changes, clock.now());
                 if (vectors) vectors->follow(before, changes);
                 return commit;
               }));
    if (removes) page.deletion.wake(documents);
    co_return commit;
  }

  // Whether the document, whose deletion was refused, is one to delete.
  Task<bool> stillMatches(const DataDeps& deps, const ServiceAccess& access, const Collection& collection,
                          const std::string& id) const {
    CO_TRY(const std::optional<doc::Document> document, co_await deps.store.get(collection.ref, id, {access.deadline}));
    if (!document) co_return false;
    co_return filter.matches(*document);
  }
};

// ---- reading

Task<std::vector<doc::Document>> ServiceDocuments::find(ServiceAccess access, std::string collection,
                                                        doc::Document filter, FindOptions options) {
  CO_TRY(const CollectionPtr found, co_await access.collections.find(std::move(collection)));
  store::Query query;
  query.collection = found->ref;
  CO_TRY(query.filter, doc::Filter::parse(filter, &found->coercion()));
  if (options.limit == 0) co_return std::vector<doc::Document>();
  query.limit = std::min(options.limit, kMaxFound);
  query.skip = options.skip;
  query.sort = std::move(options.sort);
  query.deadline = access.deadline;
  CO_TRY(store::QueryResult result, co_await deps_.store.find(std::move(query)));
  co_return std::move(result.documents);
}

Task<uint64_t> ServiceDocuments::count(ServiceAccess access, std::string collection, doc::Document filter) {
  CO_TRY(const CollectionPtr found, co_await access.collections.find(std::move(collection)));
  CO_TRY(const doc::Filter parsed, doc::Filter::parse(filter, &found->coercion()));
  co_return co_await deps_.store.count(found->ref, parsed, access.deadline);
}

// ---- inserting

namespace {

struct Inserted {
  doc::Document document;
  ReferenceChecks::Outcome references;  // not held: nothing is inserted
};

}  // namespace

Task<std::optional<doc::Document>> ServiceDocuments::insertNow(ServiceAccess access, CollectionPtr collection,
                                                               doc::Document document) {
  const Grant grant = grantOn(*collection);
  WriteRequest request = insertRequest(std::move(document), deps_, collection->ref.project);
  CO_RETURN_IF_ERROR(parseWriteRequest(request, grant));
  std::optional<ReferenceChecks> checks;
  ReferenceChecks::Keys keys;
  if (access.logged && collection->checksReferences) {
    CO_TRY(checks, co_await ReferenceChecks::ofService(access.collections, *collection));
    keys = checks->guess(request.body);
  }
  for (int round = 0; round < kMaxReferenceRounds; ++round) {
    store::Write write(optionsOf(access));
    if (access.logged) {
      CO_TRY(write.options.limits, co_await vectorLimits(deps_, *collection));
    }
    const store::Target target = write.change(store::WriteTarget{collection->ref, request.id, request.idIsNew});
    std::optional<VectorRows> vectors = vectorRowsOf(access, *collection);
    if (vectors) vectors->name(write, target, request.id, request.idIsNew);
    ReferenceChecks::Targets held;
    if (checks) held = checks->hold(write, keys);
    auto written = co_await store::writeReturning(
        deps_.store, std::move(write),
        [&grant = std::as_const(grant), &request = std::as_const(request), target, &checks = std::as_const(checks),
         &held = std::as_const(held), &vectors = std::as_const(vectors), &clock = std::as_const(deps_.clock)](
            const store::PreImages& before, store::Changes& changes) -> Result<Inserted> {
          const EvaluationContext context{grant, request, asServer(), clock.now()};
          RETURN_IF_ERROR(checkTarget(context, before[target]));
          Inserted inserted;
          TRY(inserted.document, finalizeDocument(context, before[target], request.body));
          if (checks) {
            TRY(inserted.references, checks->check({nullptr, inserted.document}, held, before, {}));
          }
          if (inserted.references.held) changes.put(target, inserted.document);
          if (vectors) vectors->follow(before, changes);
          return inserted;
        });
    if (!written && isStale(written.error())) co_return std::nullopt;
    if (!written) co_return fail(co_await vectorRefusal(deps_, *collection, std::move(written).error()));
    if (written->references.held) co_return std::move(written->document);
    keys = std::move(written->references.needed);
  }
  co_return fail(ErrorCode::unavailable, "the references of the document kept changing, try again");
}

Task<doc::Document> ServiceDocuments::insertOne(ServiceAccess access, std::string collection, doc::Document document) {
  for (int attempts = 0;; ++attempts) {
    CO_RETURN_IF_ERROR(checkContinue(access, attempts));
    CO_TRY(CollectionPtr found, co_await access.collections.find(collection));
    CO_TRY(std::optional<doc::Document> written, co_await insertNow(access, std::move(found), document));
    if (written) co_return *std::move(written);
  }
}

// ---- many

Task<ServiceDocuments::Page> ServiceDocuments::page(store::CollectionRef collection, doc::Filter filter,
                                                    std::string after, store::Deadline deadline) {
  store::Query query;
  query.collection = collection;
  query.filter = std::move(filter);
  query.limit = kPerCommit;
  query.paged = true;
  query.after = std::move(after);
  query.deadline = deadline;
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  Page page;
  for (const doc::Document& document : found.documents) page.ids.emplace_back(document.view().stringOr("id"));
  page.last = !found.more && page.ids.size() < kPerCommit;
  co_return page;
}

Task<std::string> ServiceDocuments::updateNow(ServiceAccess access, CollectionPtr collection, ManyUpdate& update,
                                              std::vector<std::string> ids) {
  std::string reached;
  std::vector<std::string> later;  // ids after `ids`
  std::optional<Error> broken;
  CO_TRY(ManyUpdate::PageReferences references, co_await update.prepare(deps_, access, *collection));
  int rounds = 0;
  while (!ids.empty()) {
    auto commit = co_await update.commit(deps_, access, *collection, references, ids);
    if (commit && !commit->references.held) {
      references.held = std::move(commit->references.needed);
      if (references.held.size() > kMaxHeldReferences) {
        references.held.clear();
        halve(ids, later);
      } else if (++rounds > kMaxReferenceRounds) {
        co_return fail(ErrorCode::unavailable, "the references of the documents kept changing, try again");
      }
      continue;
    }
    rounds = 0;
    if (commit) {
      update.counts.matched += commit->counts.matched;
      update.counts.modified += commit->counts.modified;
      update.problem = std::move(commit->problem);
      reached = ids.back();
      if (update.problem || broken) break;
      ids = std::exchange(later, {});
      continue;
    }
    const ErrorCode code = commit.error().code();
    const bool restricted = store::refusedCondition(commit.error()) != nullptr;
    const bool tooMuch =
        code == ErrorCode::queryTooCostly || (code == ErrorCode::payloadTooLarge && references.checks.has_value());
    const bool limited = VectorQuota::refused(commit.error());
    if ((restricted || tooMuch || limited) && ids.size() > 1) {
      // Too much for one commit, or one document is refused: the first half now, with its own references.
      references.held.clear();
      halve(ids, later);
      continue;
    }
    if (restricted) {
      CO_TRY(const bool still, co_await update.stillMatches(deps_, access, *collection, ids.front()));
      if (still) {
        update.problem = Deletion::refusal(commit.error());
        break;
      }
      reached = ids.back();
      ids = std::exchange(later, {});
      continue;
    }
    if (limited) {
      update.problem = co_await vectorRefusal(deps_, *collection, std::move(commit).error());
      break;
    }
    // Committed documents must not be changed twice: the caller continues after them.
    if (isStale(commit.error()) && !reached.empty()) co_return reached;
    const Violation* refusal = store::indexViolation(commit.error());
    if (!refusal) co_return fail(std::move(commit).error());
    // Nothing was written: retry without the document that violates the index and those after it.
    ids.resize(refusal->target);
    later.clear();
    broken = std::move(commit).error();
  }
  if (!update.problem && broken) update.problem = std::move(broken);
  co_return reached;
}

Task<UpdateCounts> ServiceDocuments::many(ServiceAccess access, std::string collection, ManyUpdate& update) {
  std::string after;
  for (int staleAttempts = 0;;) {
    CO_RETURN_IF_ERROR(checkContinue(access, staleAttempts));
    CO_TRY(const CollectionPtr found, co_await access.collections.find(collection));
    CO_RETURN_IF_ERROR(update.read(*found));
    CO_TRY(Page next, co_await page(found->ref, update.filter, after, access.deadline));
    if (next.ids.empty()) co_return update.counts;
    const std::string last = next.ids.back();
    auto written = co_await updateNow(access, found, update, std::move(next.ids));
    if (!written && isStale(written.error())) {
      ++staleAttempts;
      continue;
    }
    if (!written) co_return fail(std::move(written).error());
    if (update.problem) co_return fail(*std::move(update.problem));
    if (next.last && *written == last) co_return update.counts;
    after = *std::move(written);
  }
}

Task<UpdateCounts> ServiceDocuments::updateMany(ServiceAccess access, std::string collection, doc::Document filter,
                                                doc::Document body, std::optional<doc::Document> arrayFilters) {
  ManyUpdate update{.filterSource = std::move(filter), .arrayFilters = std::move(arrayFilters), .request = {}};
  update.request.event = WriteEvent::update;
  update.request.id = "any";
  update.request.body = std::move(body);
  co_return co_await many(std::move(access), std::move(collection), update);
}

Task<int64_t> ServiceDocuments::deleteMany(ServiceAccess access, std::string collection, doc::Document filter) {
  ManyUpdate update{.filterSource = std::move(filter), .arrayFilters = {}, .removes = true, .request = {}};
  update.request.event = WriteEvent::remove;
  CO_TRY(const UpdateCounts counts, co_await many(std::move(access), std::move(collection), update));
  co_return counts.modified;
}

}  // namespace mb::data
