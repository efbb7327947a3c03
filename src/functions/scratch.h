// A Scratch is a database for one stored test: it has a project number of its own, and collections that are created at
// their first use, with the schema and the unique indexes of the project's. All of it is dropped in the end.
#pragma once

#include <map>

#include "data/data.h"
#include "functions/bridge.h"
#include "functions/function_types.h"

namespace mb::functions {

// The databases that a killed server left are found by their rows in the control project.
inline constexpr store::CollectionRef kScratchRows{store::kControlProject, kRuns, 0};

// References outlive it.
struct ScratchDeps {
  store::DocumentStore& store;
  snapshot::SlotKey<data::CollectionTable> collections;
};

class Scratch final : public data::CollectionFinder {
 public:
  Scratch(ScratchDeps deps, snapshot::SnapshotPtr project) : deps_(deps), project_(std::move(project)) {}

  // Fails with notFound if the project has no such collection. Calls on one core.
  Task<data::CollectionPtr> find(std::string name) override;
  // Drops the database. Once, after the last use.
  Task<> drop();

  // Drops the databases that a killed server left. At start-up.
  static Task<> sweep(store::DocumentStore& store);

 private:
  Task<data::CollectionPtr> make(data::CollectionPtr original);
  Task<> begin();
  const ScratchDeps deps_;
  const snapshot::SnapshotPtr project_;
  store::ProjectNo number_ = 0;
  bool making_ = false;
  std::map<std::string, data::CollectionPtr> made_;
};

}  // namespace mb::functions
