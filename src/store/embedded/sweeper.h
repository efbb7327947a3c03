// The Sweeper frees the space of dropped ranges. A drop is a row in the catalogue; the sweep follows when no read can
// still be running in the range. One thread.
#pragma once

#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

class Sweeper {
 public:
  explicit Sweeper(Database& database) : database_(database) {}

  // Any thread.
  void add(Tombstone tombstone, std::chrono::steady_clock::time_point notBefore);
  // Sweeps the ranges that are due; ends early when `stopping` returns true, and continues with the rest at the next
  // call.
  void sweepDue(const std::function<bool()>& stopping);
  // Whether no range is left to sweep.
  bool idle() const;

 private:
  struct Due {
    Tombstone tombstone;
    std::chrono::steady_clock::time_point notBefore;
  };
  bool sweep(const Tombstone& tombstone, const std::function<bool()>& stopping);
  bool clearRange(Family family, const std::string& prefix, const std::function<bool()>& stopping);
  // False if the rows could not be read: the tombstone stays and is swept again.
  bool forget(const Tombstone& tombstone);

  Database& database_;
  mutable std::mutex mutex_;
  std::deque<Due> due_;
  size_t rangeTombstones_ = 0;  // since the last flush
};

}  // namespace mb::store::embedded
