#include "audit/failure_bound.h"

#include <algorithm>
#include <utility>

namespace mb::audit {

std::optional<uint64_t> FailureBound::take(uint32_t project) {
  const int64_t now = clock_.now().ms;
  const std::string key = std::to_string(project);
  const std::lock_guard lock(mutex_);
  Bucket* bucket = projects_.find(key);
  if (!bucket) bucket = &projects_.put(key, {});
  // A clock that was set back must not block entries for long.
  const int64_t emptyAt = std::clamp(bucket->emptyAtMs, now, now + kFailuresAtOnce * kMsPerFailure);
  if (emptyAt - now > (kFailuresAtOnce - 1) * kMsPerFailure) {
    bucket->emptyAtMs = emptyAt;
    ++bucket->omitted;
    return std::nullopt;
  }
  bucket->emptyAtMs = emptyAt + kMsPerFailure;
  return std::exchange(bucket->omitted, 0);
}

}  // namespace mb::audit
