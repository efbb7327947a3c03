// The bodies of POST /:collection/query and /count.
#pragma once

#include "data/documents.h"
#include "document/shape.h"

namespace mb::data {

inline constexpr size_t kMaxSortKeys = 8;
inline constexpr size_t kMaxQueryFields = 100;
inline constexpr size_t kMaxQueryExpands = 100;

struct QueryRequest {
  std::optional<doc::Document> filter;
  std::optional<std::vector<doc::Document>> sort;  // each {path: 1 or -1}
  std::optional<std::vector<std::string>> fields;
  std::optional<std::vector<std::string>> expand;
  std::optional<int64_t> limit;
  std::optional<int64_t> skip;
  std::optional<std::string> after;
  std::optional<bool> total;
  static constexpr auto shape() {
    return doc::shape<QueryRequest>(
        "QueryRequest", doc::field("filter", &QueryRequest::filter), doc::field("sort", &QueryRequest::sort),
        doc::field("fields", &QueryRequest::fields), doc::field("expand", &QueryRequest::expand),
        doc::field("limit", &QueryRequest::limit), doc::field("skip", &QueryRequest::skip),
        doc::field("after", &QueryRequest::after), doc::field("total", &QueryRequest::total));
  }
};

struct CountRequest {
  std::optional<doc::Document> filter;
  static constexpr auto shape() {
    return doc::shape<CountRequest>("CountRequest", doc::field("filter", &CountRequest::filter));
  }
};

// Fails with validation, each problem at its pointer ("/sort/0").
Result<DocumentQuery> parseQuery(QueryRequest request);

// The sort keys of `sort`, each {path: 1 or -1}, at most kMaxSortKeys with distinct paths; adds problems below
// `pointer`.
std::vector<store::SortKey> parseSort(const std::vector<doc::Document>& sort, const std::string& pointer,
                                      std::vector<ErrorDetail>& problems);

}  // namespace mb::data
