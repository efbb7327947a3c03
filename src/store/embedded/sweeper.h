// Frees the space of what was dropped. A drop is a mark in the catalogue; this comes after it, when no read can still
// be under way there. One thread.
#pragma once

#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

class Sweeper {
 public:
  explicit Sweeper(Database& database) : database_(database) {}

  // Any thread.
  void add(Tombstone tombstone, std::chrono::steady_clock::time_point notBefore);
  // Sweeps what is due; ends early when `stopping` says so, and goes on with the rest next time.
  void sweepDue(const std::function<bool()>& stopping);
  // Whether anything is left to sweep.
  bool idle() const;

 private:
  struct Due {
    Tombstone tombstone;
    std::chrono::steady_clock::time_point notBefore;
  };
  bool sweep(const Tombstone& tombstone, const std::function<bool()>& stopping);
  bool clearRange(Family family, const std::string& prefix, const std::function<bool()>& stopping);
  // False when the rows could not be read: the tombstone stays, to be swept again.
  bool forget(const Tombstone& tombstone);

  Database& database_;
  mutable std::mutex mutex_;
  std::deque<Due> due_;
  size_t rangeTombstones_ = 0;  // since the last flush
};

}  // namespace mb::store::embedded
