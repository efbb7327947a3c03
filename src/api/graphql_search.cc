#include "api/graphql_search.h"

#include <algorithm>

#include "api/search_hits.h"

namespace mb::api {

namespace {

vectors::SearchRequest requestOf(const graphql::SearchQuery& query) {
  vectors::SearchRequest request{query.text, std::nullopt, query.field, query.filter, query.limit};
  if (!query.vector) return request;
  doc::BsonWriter out;
  out.beginArray("vector");
  for (size_t i = 0; i < query.vector->size(); ++i) out.appendReal(doc::arrayKey(i), (*query.vector)[i]);
  out.end();
  const doc::Document held = out.finish();
  request.vector = doc::Value(*held.view().find("vector"));
  return request;
}

}  // namespace

std::vector<std::string> GraphqlSearch::searchFields(const snapshot::ProjectSnapshot& project) const {
  std::vector<std::string> names;
  for (auto& each : vectors_.list(project)) names.push_back(std::move(each.collection));
  std::ranges::sort(names);
  return names;
}

Task<data::VisibleDocuments> GraphqlSearch::search(const data::Access& access, const std::string& collection,
                                                   const graphql::SearchQuery& query) {
  CO_TRY(const vectors::SearchResult result, co_await vectors_.search().search(access, collection, requestOf(query)));
  data::VisibleDocuments found;
  for (const vectors::SearchHit& hit : result.hits) found.documents.push_back(withScore(hit.document, hit.score));
  co_return found;
}

}  // namespace mb::api
