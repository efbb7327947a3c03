#include "data/service_documents.h"

#include <algorithm>

#include "base/work_budget.h"
#include "data/data_deps.h"
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

  struct Commit {
    UpdateCounts counts;
    std::optional<Error> problem;  // of the first document that cannot be changed; later ones are not changed
  };
  Commit computeChanges(const Grant& grant, const std::vector<store::Target>& targets, const store::PreImages& before,
                        store::Changes& changes, Timestamp now) const {
    Commit commit;
    for (const store::Target target : targets) {
      const std::optional<doc::Document>& document = before[target];
      if (!document || !filter.matches(*document)) continue;
      Result<store::Change> change = changed(grant, document, now);
      if (!change) {
        commit.problem = std::move(change).error();
        break;
      }
      ++commit.counts.matched;
      if (change->kind != store::Change::Kind::keep) ++commit.counts.modified;
      changes.set(target, *std::move(change));
    }
    return commit;
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

Task<std::optional<doc::Document>> ServiceDocuments::insertNow(ServiceAccess access, CollectionPtr collection,
                                                               doc::Document document) {
  const Grant grant = grantOn(*collection);
  WriteRequest request;
  request.body = std::move(document);
  if (!request.body.view().find("id")) {
    request.id = deps_.ids.next();
    request.idIsNew = true;
  }
  CO_RETURN_IF_ERROR(parseWriteRequest(request, grant));
  store::Write write(optionsOf(access));
  const store::Target target = write.change(store::WriteTarget{collection->ref, request.id, request.idIsNew});
  auto written = co_await store::writeReturning(
      deps_.store, std::move(write),
      [&grant = std::as_const(grant), &request = std::as_const(request), target, &clock = std::as_const(deps_.clock)](
          const store::PreImages& before, store::Changes& changes) -> Result<doc::Document> {
        const EvaluationContext context{grant, request, asServer(), clock.now()};
        RETURN_IF_ERROR(checkTarget(context, before[target]));
        TRY(doc::Document finalized, finalizeDocument(context, before[target], request.body));
        changes.put(target, finalized);
        return finalized;
      });
  if (!written && isStale(written.error())) co_return std::nullopt;
  if (!written) co_return fail(std::move(written).error());
  co_return *std::move(written);
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
  const Grant grant = grantOn(*collection);
  std::string reached;
  std::vector<std::string> later;  // ids after `ids`
  std::optional<Error> broken;
  while (!ids.empty()) {
    store::Write write(optionsOf(access));
    std::vector<store::Target> targets;
    for (const std::string& id : ids) targets.push_back(write.change(collection->ref, id));
    auto commit = co_await store::writeReturning(
        deps_.store, std::move(write),
        [&update = std::as_const(update), &grant = std::as_const(grant), targets = std::move(targets),
         &clock = std::as_const(deps_.clock)](const store::PreImages& before,
                                              store::Changes& changes) -> Result<ManyUpdate::Commit> {
          return update.computeChanges(grant, targets, before, changes, clock.now());
        });
    if (commit) {
      update.counts.matched += commit->counts.matched;
      update.counts.modified += commit->counts.modified;
      update.problem = std::move(commit->problem);
      reached = ids.back();
      if (update.problem || broken) break;
      ids = std::exchange(later, {});
      continue;
    }
    if (commit.error().code() == ErrorCode::queryTooCostly && ids.size() > 1) {
      // Too costly for one commit: the first half now.
      const auto half = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
      later.insert(later.begin(), std::make_move_iterator(half), std::make_move_iterator(ids.end()));
      ids.erase(half, ids.end());
      continue;
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
