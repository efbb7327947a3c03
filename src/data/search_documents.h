// SearchDocuments decides which documents a search may return to a caller: by the `read` rule and the query's filter.
// Ignores skip, limit and expand.
#pragma once

#include "data/read_plan.h"

namespace mb::data {

// Every call fails as Documents::list does. Arguments taken by reference outlive the call. Any core.
class SearchDocuments {
 public:
  static constexpr size_t kMaxAtOnce = 256;

  // The references outlive this.
  SearchDocuments(store::DocumentStore& store, const Grants& grants) : store_(store), grants_(grants) {}

  // Whether the caller may search the collection at all.
  Result<> allowed(const Access& access, const std::string& collection) const;
  // Whether every document of the collection may be returned.
  Task<bool> seesAll(const Access& access, const std::string& collection, const ReadQuery& query) const;
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
  Task<ReadPlan> planOf(const Access& access, const std::string& collection, const ReadQuery& query) const;

  store::DocumentStore& store_;
  const Grants& grants_;
};

}  // namespace mb::data
