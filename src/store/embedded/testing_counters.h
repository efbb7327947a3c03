// Makes counters wrong, for tests.
#pragma once

#include <filesystem>
#include <stdexcept>

#include "store/embedded/counters.h"
#include "store/embedded/database.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

// Replaces the row of a counter in the data directory of a closed store. 0 removes it, as a commit
// does. The next opening does not count it again.
inline void replaceCounterRow(const std::filesystem::path& directory, const CounterKey& key, int64_t value) {
  auto database = Database::open(directory / "store", EmbeddedSettings(), [](ProjectNo) { return uint64_t{0}; });
  if (!database) throw std::runtime_error(database.error().message());
  rocksdb::WriteBatch batch;
  std::string row;
  appendU64(row, static_cast<uint64_t>(value));
  if (value == 0) {
    batch.Delete((*database)->family(Family::system), counterRow(key));
  } else {
    batch.Put((*database)->family(Family::system), counterRow(key), row);
  }
  rocksdb::PinnableSlice before;
  if (!(*database)->get(Tier::disk, Family::system, row::plain(row::kCounterStamp), &before).ok()) {
    throw std::runtime_error("the store has no counters");
  }
  std::string stamp;
  appendU64(stamp, (*database)->opening());
  stamp += view(before).substr(sizeof(uint64_t));
  batch.Put((*database)->family(Family::system), row::plain(row::kCounterStamp), stamp);
  (*database)->write(batch);
}

}  // namespace mb::store::embedded
