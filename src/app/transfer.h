// Copies a whole store into a new one, of either engine: `manybase move`, and backups and restores on MongoDB. Numbers
// of projects and collections, ids and positions of the change logs stay as they are.
#pragma once

#include "app/store_choice.h"
#include "base/progress.h"

namespace mb::app {

// The documents of a collection, in the order of their ids.
struct CollectionSum {
  store::ProjectNo project = 0;
  store::CollectionNo collection = 0;
  uint64_t documents = 0;
  std::string sha256;  // over their BSON
  bool operator==(const CollectionSum&) const = default;
};

struct Transferred {
  uint64_t projects = 0;            // the control plane's included
  uint64_t collections = 0;         // of users
  uint64_t documents = 0;           // system ones included
  uint64_t changes = 0;             // entries of the change logs
  std::vector<CollectionSum> sums;  // of the collections that are not empty
};

// Fills `directory`/store, which must not exist, and compares it with `source` when it is done. A directory that a
// failed call leaves must not be opened. Blocks. Fails with a message to print, unavailable when it is stopped.
Result<Transferred> fillDirectory(const store::Image& source, const std::filesystem::path& directory,
                                  Progress& progress);
// The same into a database, which stays marked as incomplete: MongoStore::complete() ends that.
Result<Transferred> fillDatabase(const store::Image& source, store::MongoSettings settings, Progress& progress);

// For a store that a restore has filled from `backup`, in `directory` or in the database of the settings: the changes
// of owners' databases are copied from the next start on, with a gap. Blocks.
Result<> restartCopying(const store::Image& backup, const StoreSettings& settings,
                        const std::filesystem::path& directory);

}  // namespace mb::app
