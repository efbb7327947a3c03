// SearchDocuments decides which documents a search may return to a caller: by the `read` rule and the query's filter.
// Ignores skip, limit and expand.
#pragma once

#include "data/documents.h"

namespace mb::data {

// Every call fails as Documents::list does. Arguments taken by reference outlive the call. Any core.
class SearchDocuments {
 public:
  static constexpr size_t kMaxAtOnce = 256;

  SearchDocuments(store::DocumentStore& store, snapshot::SlotKey<CollectionTable> collections)
      : store_(store), slot_(collections) {}

  // Whether every document of the collection may be returned.
  Result<bool> seesAll(const Access& access, const std::string& collection, const ReadQuery& query) const;
  // The ids of the documents that may be returned, unordered, if an index has them and they are at most `max`; nullopt
  // otherwise. Reads no document.
  Task<std::optional<std::vector<std::string>>> fewIds(const Access& access, const std::string& collection,
                                                       const ReadQuery& query, size_t max);
  // The ids of the documents that may be returned, ascending: all of them, or the first `max` + 1.
  Task<std::vector<std::string>> ids(const Access& access, const std::string& collection, const ReadQuery& query,
                                     size_t max);
  // The documents of these ids (at most kMaxAtOnce) that may be returned, without their denied fields; the others are
  // nullopt. In the order of `ids`. Subtracts its cost from `work` (kMatchWork for one search).
  Task<std::vector<std::optional<doc::Document>>> among(const Access& access, const std::string& collection,
                                                        const ReadQuery& query, const std::vector<std::string>& ids,
                                                        int64_t& work);

 private:
  store::DocumentStore& store_;
  snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
