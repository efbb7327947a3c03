// The page of a query, document by document as the server returns them.
#pragma once

#include "store/store.h"

namespace mb::store::mongo {

class QueryPage {
 public:
  // `query` outlives it. `matchesAll`: the server returns matching documents only. `skipped`: those of Query::skip that
  // the server skips. `after`: the position after which the page starts (plain_sort.h).
  QueryPage(const Query& query, bool matchesAll, uint64_t skipped, std::optional<doc::Document> after);

  // Adds a stored document, if it belongs to the page; false if the page is complete and needs no further ones. Fails
  // with validation for a document that is not sorted, and with payloadTooLarge.
  Result<bool> add(doc::DocumentView stored);
  QueryResult take() { return std::move(result_); }

 private:
  bool isFull() const { return result_.documents.size() == query_.limit; }

  const Query& query_;
  const bool matchesAll_;
  const bool ofIds_;
  const std::optional<doc::Document> after_;
  uint64_t skipped_;
  size_t bytes_ = 0;
  QueryResult result_;
};

// The position after which the page of a query starts; nullopt for the first page. Fails with invalidParam for one of
// another order.
Result<std::optional<doc::Document>> startOf(const Query& query);

inline constexpr std::string_view kTwoArrays = "the sort names two arrays of a document";

}  // namespace mb::store::mongo
