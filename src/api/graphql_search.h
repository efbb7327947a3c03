// Vector search for GraphQL: the same search as POST /:collection/search.
#pragma once

#include "graphql/search.h"
#include "vectors/vectors.h"

namespace mb::api {

class GraphqlSearch : public graphql::Search {
 public:
  // `vectors` outlives this.
  explicit GraphqlSearch(vectors::Vectors& vectors) : vectors_(vectors) {}

  std::vector<std::string> searchFields(const snapshot::ProjectSnapshot& project) const override;
  Task<data::VisibleDocuments> search(const data::Access& access, const std::string& collection,
                                      const graphql::SearchQuery& query) override;

 private:
  vectors::Vectors& vectors_;
};

}  // namespace mb::api
