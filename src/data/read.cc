#include <algorithm>

#include "base/work_budget.h"
#include "data/documents_impl.h"

namespace mb::data {

using policy::Operation;

Result<> refuseDeniedKeys(const std::vector<store::SortKey>& sort, const doc::FieldSet& denied) {
  for (const store::SortKey& key : sort) {
    if (denied.touches(key.path)) {
      return fail(ErrorCode::forbidden, "the sort must not name a field that you may not read");
    }
  }
  return {};
}

Result<> checkVisible(const ReadPlan& plan, const std::optional<doc::Document>& found) {
  const WorkBudget work(kCoreWork);
  const bool visible = isMatched(plan.grant, plan.filter, found);
  RETURN_IF_ERROR(work.check());
  if (!visible) return fail(ErrorCode::notFound, "no such document");
  return {};
}

Result<ReadPlan> planRead(Grant grant, const ReadQuery& query) {
  ReadPlan plan{std::move(grant), {}};
  if (!query.filter) {
    plan.filter = plan.grant.filter;
    return plan;
  }
  const WorkBudget work(kCoreWork);
  TRY(const doc::Filter asked, doc::Filter::parse(*query.filter, &plan.grant.collection->coercion()));
  RETURN_IF_ERROR(work.check());
  RETURN_IF_ERROR(policy::refuseDeniedFields(asked, plan.grant.denied(), plan.grant.trace));
  plan.filter = plan.grant.filter.matchesAll() ? asked : doc::Filter::both(plan.grant.filter, asked);
  return plan;
}

Task<VisibleDocument> Documents::get(const Access& access, const std::string& collection, const std::string& id,
                                     const ReadQuery& query) {
  CO_TRY(Grant grant, impl_->grants.find(access, collection, Operation::read));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await impl_->grants.complete(grant, access.caller, access.deadline));
  CO_TRY(const ReadPlan plan, planRead(std::move(grant), query));
  CO_TRY(std::optional<store::VersionedDocument> stored,
         co_await impl_->deps.store.getVersioned(plan.grant.collection->ref, id, {access.deadline}));
  std::optional<doc::Document> found;
  if (stored) found = std::move(stored->document);
  CO_RETURN_IF_ERROR(checkVisible(plan, found));
  if (query.expand.empty()) co_return VisibleDocument{*std::move(found), plan.grant.hidden(), stored->version};

  if (const auto hidden = plan.grant.hidden()) found = hidden->strip(*found);
  std::vector<doc::Document> one;
  one.push_back(*std::move(found));
  CO_RETURN_IF_ERROR(co_await impl_->expand(access, plan.grant, query.expand, one));
  co_return VisibleDocument{std::move(one.front()), nullptr};
}

Task<std::optional<VisibleDocument>> Documents::readable(const Access& access, const std::string& collection,
                                                         VisibleDocument written) {
  auto grant = impl_->grants.find(access, collection, Operation::read);
  if (grant && grant->awaitsSets) {
    const Result<> complete = co_await impl_->grants.complete(*grant, access.caller, access.deadline);
    if (!complete) co_return std::nullopt;
  }
  if (!grant) co_return std::nullopt;
  CO_TRY(const ReadPlan plan, planRead(*std::move(grant), {}));
  std::optional<doc::Document> document = std::move(written.document);
  // The write is done: whatever keeps its caller from reading, the response goes without the document.
  if (!checkVisible(plan, document)) co_return std::nullopt;
  co_return VisibleDocument{*std::move(document), plan.grant.hidden(), written.version};
}

Task<VisibleDocuments> Documents::list(const Access& access, const std::string& collection, const ReadQuery& query,
                                       Operation operation) {
  CO_TRY(Grant grant, impl_->grants.find(access, collection, operation));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await impl_->grants.complete(grant, access.caller, access.deadline));
  CO_TRY(const ReadPlan plan, planRead(std::move(grant), query));
  CO_RETURN_IF_ERROR(refuseDeniedKeys(query.sort, plan.grant.denied()));
  if (query.limit == 0) co_return VisibleDocuments{};
  store::Query asked;
  asked.collection = plan.grant.collection->ref;
  asked.filter = plan.filter;
  asked.skip = query.skip;
  asked.limit = std::min(query.limit, kMaxLimit);
  asked.sort = query.sort;
  asked.deadline = access.deadline;
  asked.hidden = plan.grant.hidden();
  asked.explain = query.explain;
  CO_TRY(store::QueryResult found, co_await impl_->deps.store.find(std::move(asked)));
  if (!query.expand.empty())
    CO_RETURN_IF_ERROR(co_await impl_->expand(access, plan.grant, query.expand, found.documents));
  co_return VisibleDocuments{std::move(found.documents), std::move(found.explain)};
}

Task<uint64_t> Documents::count(const Access& access, const std::string& collection, const ReadQuery& query) {
  CO_TRY(Grant grant, impl_->grants.find(access, collection, Operation::list));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await impl_->grants.complete(grant, access.caller, access.deadline));
  CO_TRY(const ReadPlan plan, planRead(std::move(grant), query));
  co_return co_await impl_->deps.store.count(plan.grant.collection->ref, plan.filter, access.deadline);
}

}  // namespace mb::data
