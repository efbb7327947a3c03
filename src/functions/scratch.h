// A database that exists for one stored test: a project number of its own, collections made as they are first touched,
// with the schema and the unique indexes of the project's, and everything dropped in the end. Source: decisions 5
// ("Test case").
#pragma once

#include <map>

#include "data/data.h"
#include "functions/bridge.h"
#include "functions/function_types.h"

namespace mb::functions {

// What a server that was killed leaves behind is found by its row in the control project.
inline constexpr store::CollectionRef kScratchRows{store::kControlProject, kRuns, 0};

class Scratch final : public data::CollectionFinder {
 public:
  // References outlive it.
  struct Deps {
    store::DocumentStore& store;
    snapshot::SlotKey<data::CollectionTable> collections;
  };
  Scratch(Deps deps, snapshot::SnapshotPtr project) : deps_(deps), project_(std::move(project)) {}

  // Fails with notFound where the project has no such collection. Calls of one core.
  Task<data::CollectionPtr> find(std::string name) override;
  // All that was made goes. Once, after the last use.
  Task<> drop();

  // Drops what is left of a server that was killed. At start-up.
  static Task<> sweep(store::DocumentStore& store);

 private:
  Task<data::CollectionPtr> make(data::CollectionPtr original);
  Task<> begin();
  const Deps deps_;
  const snapshot::SnapshotPtr project_;
  store::ProjectNo number_ = 0;
  bool making_ = false;
  std::map<std::string, data::CollectionPtr> made_;
};

}  // namespace mb::functions
