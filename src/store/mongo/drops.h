// What has left the catalogue and may still be on the server: indexes, collections, and what a project held. The commit
// that takes it out of the catalogue stores a row of `drops`, which stays until the server has carried the drop out. It
// refuses one while an index of the collection is built, waits for transactions that have written to it, and the
// instance may end before; so any instance repeats what it finds (housekeeping.cc).
#pragma once

#include <set>

#include "store/mongo/connection.h"
#include "store/mongo/names.h"
#include "store/store.h"

namespace mb::store::mongo {

struct Drop {
  ProjectNo project = 0;
  CollectionNo collection = 0;  // 0: all of the project
  IndexNo index = 0;            // 0: all of the collection
};

// The statement that stores the row of a drop.
doc::Document dropStatement(const Drop& drop);
// The projects that have rows. Blocks.
Outcome<std::set<ProjectNo>> projectsWithDrops(Connection& connection, const Names& names);
// Makes the server drop what the rows of a project name, and removes those rows; `system` are the collections that hold
// documents of all projects. Fails with the first failure, whose row stays, after all others. Blocks; the server waits
// for 10 s at most for each.
Outcome<> executeDrops(Connection& connection, const Names& names, const std::vector<SystemCollection>& system,
                       ProjectNo project);

}  // namespace mb::store::mongo
