// The page of a query, document by document as the server returns them.
#pragma once

#include "store/store.h"

namespace mb::store::mongo {

// The order of a page.
struct PageOrder {
  std::vector<SortKey> sort;           // by which documents are compared; empty: the server's order is that of ids
  std::optional<doc::Document> after;  // the position after which the page starts (plain_sort.h)
  bool idsAreUnique = true;            // false: a key "id" may have equal values
};

class QueryPage {
 public:
  // `query` outlives it. `matchesAll`: the server returns matching documents only. `skipped`: those of Query::skip that
  // the server skips.
  QueryPage(const Query& query, PageOrder order, bool matchesAll, uint64_t skipped);

  // Adds a document that the server returned, if it belongs to the page; false if the page is complete and needs no
  // further ones. `place`: in an order of ids, what QueryResult::next is after it. `sorted`: what the server sorted by;
  // null for the document itself. Fails with validation for a document that is not sorted, and with payloadTooLarge.
  Result<bool> add(doc::Document document, std::string place, const doc::Document* sorted = nullptr);
  QueryResult take() { return std::move(result_); }

 private:
  bool isFull() const { return result_.documents.size() == query_.limit; }

  const Query& query_;
  const PageOrder order_;
  const bool matchesAll_;
  uint64_t skipped_;
  size_t bytes_ = 0;
  QueryResult result_;
};

// The position that a page in this order ended with. Fails with invalidParam for one of another order.
Result<doc::Document> positionOf(const std::vector<SortKey>& sort, const std::string& after);
// The position after which the page of a query starts; nullopt for the first page. Fails with invalidParam for one of
// another order.
Result<std::optional<doc::Document>> startOf(const Query& query);

inline constexpr std::string_view kTwoArrays = "the sort names two arrays of a document";

}  // namespace mb::store::mongo
