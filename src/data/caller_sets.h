// CallerSets reads the values of callers' sets, and caches them per core: an entry is used until a commit changes a
// document that holds the caller's id (store::Mark).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/lru_cache.h"
#include "data/collection_table.h"

namespace mb::data {

// The documents of a collection by its name.
using DocumentsOf = std::function<const std::vector<doc::Document>&(const std::string& collection)>;

class CallerSets {
 public:
  CallerSets(store::DocumentStore& store, Cores& cores);

  // The named sets without their values, as of now: only whether they have changed is known.
  policy::SetValues marks(const CollectionTable& table, const policy::Caller& caller,
                          const std::vector<std::string>& names) const;
  // Adds the values of the named sets to `values` if this core has all of them and they are current. Never waits.
  bool fromCache(const CollectionTable& table, const policy::Caller& caller, const std::vector<std::string>& names,
                 policy::SetValues& values);
  // The values of the named sets as of now; those of a set that does not exist, or cannot be read, are missing. Fails
  // with forbidden for more than policy::kMaxSetValues, and as DocumentStore::find does. With a trace, all of them are
  // read, and none is cached: the sets may be drafts, whose changes move no mark.
  Task<policy::SetValues> read(const CollectionTable& table, const policy::Caller& caller,
                               const std::vector<std::string>& names, store::Deadline deadline,
                               policy::Trace* trace = nullptr);
  // The same, of given documents of the sets' collections in place of those of the store. Fails with forbidden.
  static Result<policy::SetValues> among(const DocumentsOf& documents, const CollectionTable& table,
                                         const policy::Caller& caller, const std::vector<std::string>& names,
                                         policy::Trace* trace);

 private:
  static constexpr size_t kEntriesPerCore = 16'384;
  static constexpr size_t kBytesPerCore = 32 << 20;
  struct Entry {
    CompiledSetPtr set;
    std::shared_ptr<const doc::Schema> schema;  // of the collection, by which the set was read
    policy::SetValuePtr value;
  };
  using Cache = LruCache<Entry>;

  Cache* cache();
  // The current value in this core's cache, or null.
  policy::SetValuePtr held(const BoundSet& set, const policy::Caller& caller);
  // The current value; null for a caller without an id.
  Task<policy::SetValuePtr> readOne(const BoundSet& set, const policy::Caller& caller, store::Deadline deadline);
  void cacheOne(const BoundSet& set, const policy::Caller& caller, const policy::SetValuePtr& value);

  store::DocumentStore& store_;
  std::vector<std::unique_ptr<Cache>> caches_;
};

}  // namespace mb::data
