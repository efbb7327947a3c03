// How many failed sign-ins a project's record takes, so that nobody fills the disk with them: 60 at once, then 10 a
// minute. Of one process.
#pragma once

#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/lru_cache.h"

namespace mb::audit {

inline constexpr int64_t kFailuresAtOnce = 60;
inline constexpr int64_t kMsPerFailure = 6000;

// At most 4,096 projects are remembered; past that the longest unused one is forgotten. Any thread.
class FailureBound {
 public:
  explicit FailureBound(const Clock& clock) : clock_(clock), projects_(4096) {}
  // How many were left out since the last that was taken; nullopt where this one is left out too.
  std::optional<uint64_t> take(uint32_t project);

 private:
  struct Bucket {
    int64_t emptyAtMs = 0;  // when all that was taken is made up for
    uint64_t omitted = 0;
  };
  const Clock& clock_;
  std::mutex mutex_;
  LruCache<Bucket> projects_;
};

}  // namespace mb::audit
