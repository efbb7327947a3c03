// A Recount counts the documents behind a project's counters. It reads the documents and the counter rows of one
// snapshot, which hold the same commits. So their difference is the error of a counter, whatever was committed since,
// and adding it corrects the counter.
#pragma once

#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

// Used by one thread at a time. Its memory is that of the project's counters; it reads past the block cache.
class Recount {
 public:
  // Once `ended` returns true, the recount fails with unavailable. It is called for each document.
  Recount(Database& database, const Catalogue& catalogue, ProjectNo project, std::function<bool()> ended);
  // Reads until all is read, or reading failed (true), or until `expired` returns true (false). Blocks.
  bool run(const std::function<bool()>& expired);
  // REQUIRES: run() returned true. Call once.
  Result<CounterRecount> result();

 private:
  // False if `expired` returned true first.
  Result<bool> read(const std::function<bool()>& expired);
  Result<> readRows();

  Database& database_;
  const Catalogue& catalogue_;
  const ProjectNo project_;
  const std::function<bool()> ended_;
  std::vector<SchemaPtr> counted_;  // the collections with counters
  std::optional<SnapshotHold> snapshot_;
  size_t reading_ = 0;  // in counted_
  std::string from_;    // the key to continue from; "" at the start of a collection
  CounterSums stored_;  // the rows
  CounterSums sums_;    // over the documents
  Result<> outcome_;
};

}  // namespace mb::store::embedded
