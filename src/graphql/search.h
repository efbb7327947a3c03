// The vector search that GraphQL uses; implemented by a module above.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/documents.h"

namespace mb::graphql {

struct SearchQuery {
  std::optional<std::string> field;  // absent: the first vector field
  std::optional<std::string> text;
  std::optional<std::vector<double>> vector;
  std::optional<doc::Document> filter;
  std::optional<uint64_t> limit;
};

class Search {
 public:
  virtual ~Search() = default;
  // The names of the collections that have vectors, sorted.
  virtual std::vector<std::string> searchFields(const snapshot::ProjectSnapshot& project) const = 0;
  // The hits by the `read` rule, nearest first, each with its `_score`. References outlive the call.
  virtual Task<data::VisibleDocuments> search(const data::Access& access, const std::string& collection,
                                              const SearchQuery& query) = 0;
};

}  // namespace mb::graphql
