// A rate limit for entries of failed sign-ins in a project's record, so that clients cannot fill the disk with them: 60
// at once, then 10 a minute. Counted per process.
#pragma once

#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/lru_cache.h"

namespace mb::audit {

inline constexpr int64_t kFailuresAtOnce = 60;
inline constexpr int64_t kMsPerFailure = 6000;

// Tracks at most 4,096 projects; beyond that the least recently used one is evicted. Any thread.
class FailureBound {
 public:
  explicit FailureBound(const Clock& clock) : clock_(clock), projects_(4096) {}
  // The number of entries left out since the last one taken; nullopt where this one is left out too.
  std::optional<uint64_t> take(uint32_t project);

 private:
  struct Bucket {
    int64_t emptyAtMs = 0;  // when the bucket has drained
    uint64_t omitted = 0;
  };
  const Clock& clock_;
  std::mutex mutex_;
  LruCache<Bucket> projects_;
};

}  // namespace mb::audit
