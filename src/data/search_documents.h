// Documents for search: which of them a caller may be given is judged here, by the `read` rule and the query's filter;
// skip, limit and expand have no meaning.
#pragma once

#include "data/documents.h"

namespace mb::data {

// Every call fails as Documents::list does. What is taken by reference outlives the call. Any core.
class SearchDocuments {
 public:
  static constexpr size_t kMaxAtOnce = 256;

  SearchDocuments(store::DocumentStore& store, snapshot::SlotKey<CollectionTable> collections)
      : store_(store), slot_(collections) {}

  // Whether every document of the collection may be given.
  Result<bool> seesAll(const Access& access, const std::string& collection, const ReadQuery& query) const;
  // The ids of those that may be given, in no order, where an index tells them and they are at most `max`; nullopt
  // otherwise. Reads no document.
  Task<std::optional<std::vector<std::string>>> fewIds(const Access& access, const std::string& collection,
                                                       const ReadQuery& query, size_t max);
  // The ids of those that may be given, ascending: all of them, or `max` and one more.
  Task<std::vector<std::string>> ids(const Access& access, const std::string& collection, const ReadQuery& query,
                                     size_t max);
  // The documents of these ids (at most kMaxAtOnce) that may be given, without their denied fields; the others are
  // nullopt. In the order of `ids`. What it costs is taken from `work` (kMatchWork for one search).
  Task<std::vector<std::optional<doc::Document>>> among(const Access& access, const std::string& collection,
                                                        const ReadQuery& query, const std::vector<std::string>& ids,
                                                        int64_t& work);

 private:
  store::DocumentStore& store_;
  snapshot::SlotKey<CollectionTable> slot_;
};

}  // namespace mb::data
