// The log of slow queries: what was asked, in which shape and through which index; never a value that was asked for.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "store/store.h"

namespace mb::store::embedded {

class SlowQueries {
 public:
  // Zero: nothing is logged.
  explicit SlowQueries(std::chrono::milliseconds threshold) : threshold_(threshold) {}

  // A query that is over. Logs it when it was slow; a few lines a while at most, the rest is counted into the next.
  void see(const Query& query, const Explain& explain, std::chrono::steady_clock::duration took,
           std::string_view kind) {
    if (threshold_.count() > 0 && took >= threshold_) log(query, explain, took, kind);
  }

 private:
  void log(const Query& query, const Explain& explain, std::chrono::steady_clock::duration took, std::string_view kind);
  // The lines left out before this one, or nothing when this one is left out too.
  std::optional<uint64_t> admit();

  const std::chrono::milliseconds threshold_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point windowStart_;
  int inWindow_ = 0;
  uint64_t leftOut_ = 0;
};

// Paths and operators of a filter without its values: `ownerId $eq, $or(a $gt | b $in)`. At most about 500 bytes.
std::string shapeOf(const doc::Filter& filter);

}  // namespace mb::store::embedded
