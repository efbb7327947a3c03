// An Image is what a store holds, for reading from end to end: backups, checks and moves. What it does not hold of a
// project follows from its documents: index entries, counts and counters.
#pragma once

#include <functional>

#include "store/chain.h"
#include "store/change_feed.h"
#include "store/store.h"

namespace mb::store {

// Of a whole store: its counters of numbers and ids.
struct StoreNumbers {
  ProjectNo nextProject = kControlProject + 1;
  int64_t idFloorMs = 0;  // MainStore::idFloorMs()
};

// Of a project: its counters.
struct ProjectNumbers {
  uint64_t epoch = 1;
  uint32_t nextNumber = kFirstUserCollection;  // of collections and indexes
  uint64_t lastPosition = 0;                   // of the change log
  uint64_t lostUpTo = 0;                       // the last trimmed entry of the change log
};

// Its functions block, are for one thread, and fail with internal or unavailable.
class Image {
 public:
  virtual ~Image() = default;
  virtual StoreNumbers numbers() const = 0;
  // The projects that are not dropped, the control plane's first.
  virtual std::vector<ProjectNo> projects() const = 0;
  virtual ProjectNumbers numbersOf(ProjectNo project) const = 0;
  // System collections, then users', by number.
  virtual std::vector<CollectionInfo> collections(ProjectNo project) const = 0;
  virtual Result<CollectionStats> stats(ProjectNo project, CollectionNo collection) const = 0;
  virtual Result<std::optional<doc::Document>> get(ProjectNo project, CollectionNo collection,
                                                   std::string_view id) const = 0;
  // Calls `visit` with each document, ascending id, until it fails.
  using Visit = std::function<Result<>(doc::DocumentView)>;
  virtual Result<> each(ProjectNo project, CollectionNo collection, const Visit& visit) const = 0;
  // The same in the order of an index: a document is visited once per entry, and not if it has no entry. Fails with
  // notFound for an unknown index.
  virtual Result<> eachBy(ProjectNo project, CollectionNo collection, std::string_view index,
                          const Visit& visit) const = 0;
  // Calls `visit` with each entry of the change log, oldest first, until it fails.
  using VisitChange = std::function<Result<>(const ChangeEntry&)>;
  virtual Result<> eachChange(ProjectNo project, const VisitChange& visit) const = 0;
  // The head of a chained collection (chain.h); seq 0 for any other.
  virtual Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) const = 0;
};

}  // namespace mb::store
