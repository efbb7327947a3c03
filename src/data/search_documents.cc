#include "data/search_documents.h"

#include "data/visible_documents.h"

namespace mb::data {

namespace {

using policy::Operation;

constexpr uint64_t kPageOfIds = 10'000;

doc::Filter behindId(const std::string& id) {
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString("$gt", id);
  out.end();
  return *doc::Filter::parse(out.finish());
}

}  // namespace

Task<ReadPlan> SearchDocuments::planOf(const Access& access, const std::string& collection,
                                       const ReadQuery& query) const {
  CO_TRY(Grant grant, grants_.find(access, collection, Operation::read));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await grants_.complete(grant, access.caller, access.deadline));
  co_return planRead(std::move(grant), query);
}

Result<> SearchDocuments::allowed(const Access& access, const std::string& collection) const {
  RETURN_IF_ERROR(grants_.find(access, collection, Operation::read));
  return {};
}

Task<bool> SearchDocuments::seesAll(const Access& access, const std::string& collection, const ReadQuery& query) const {
  CO_TRY(const ReadPlan plan, co_await planOf(access, collection, query));
  co_return plan.filter.matchesAll();
}

Task<std::optional<std::vector<std::string>>> SearchDocuments::fewIds(const Access& access,
                                                                      const std::string& collection,
                                                                      const ReadQuery& query, size_t max) {
  CO_TRY(const ReadPlan plan, co_await planOf(access, collection, query));
  store::Query asked;
  asked.collection = plan.grant.collection->ref;
  asked.filter = plan.filter;
  asked.limit = max + 1;
  asked.deadline = access.deadline;
  asked.projection = store::Projection::unorderedIds;
  CO_TRY(const store::QueryResult found, co_await store_.find(std::move(asked)));
  if (!found.known || found.documents.size() > max) co_return std::nullopt;
  std::vector<std::string> ids;
  ids.reserve(found.documents.size());
  for (const doc::Document& document : found.documents) ids.emplace_back(document.view().stringOr("id"));
  co_return ids;
}

Task<std::vector<std::string>> SearchDocuments::ids(const Access& access, const std::string& collection,
                                                    const ReadQuery& query, size_t max) {
  CO_TRY(const ReadPlan plan, co_await planOf(access, collection, query));
  std::vector<std::string> ids;
  while (ids.size() <= max) {
    store::Query asked;
    asked.collection = plan.grant.collection->ref;
    asked.filter = ids.empty() ? plan.filter : doc::Filter::both(plan.filter, behindId(ids.back()));
    const uint64_t wanted = asked.limit = std::min<uint64_t>(kPageOfIds, max + 1 - ids.size());
    asked.deadline = access.deadline;
    asked.projection = store::Projection::ids;
    CO_TRY(const store::QueryResult found, co_await store_.find(std::move(asked)));
    for (const doc::Document& document : found.documents) ids.emplace_back(document.view().stringOr("id"));
    if (found.documents.size() < wanted) break;
  }
  co_return ids;
}

Task<std::vector<std::optional<doc::Document>>> SearchDocuments::among(const Access& access,
                                                                       const std::string& collection,
                                                                       const ReadQuery& query,
                                                                       const std::vector<std::string>& ids,
                                                                       int64_t& work) {
  CO_TRY(ReadPlan plan, co_await planOf(access, collection, query));
  const Visibility visibility{plan.grant.collection->ref, std::move(plan.filter), plan.grant.hidden()};
  ReadBudget budget{.work = work};
  auto found = co_await readVisible(store_, visibility, ids, budget, access.deadline);
  work = budget.work;
  co_return found;
}

}  // namespace mb::data
