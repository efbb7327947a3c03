// The log of slow queries: their paths and operators, and the index that they used, but never a value.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "store/store.h"

namespace mb::store::embedded {

class SlowQueries {
 public:
  // Zero disables the log.
  explicit SlowQueries(std::chrono::milliseconds threshold) : threshold_(threshold) {}

  // Logs a finished query if it was slow. At most a few lines per time window; the next line has the number of omitted
  // ones.
  void record(const Query& query, const Explain& explain, std::chrono::steady_clock::duration took,
              std::string_view kind) {
    if (threshold_.count() > 0 && took >= threshold_) log(query, explain, took, kind);
  }

 private:
  void log(const Query& query, const Explain& explain, std::chrono::steady_clock::duration took, std::string_view kind);
  // The number of lines omitted before this one; nullopt if this line must be omitted, too.
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
