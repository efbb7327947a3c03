// What a worker may say, besides clone/frames.h. Past any of these it is taken for compromised. Private to workers/.
#pragma once

#include <chrono>
#include <cstddef>

#include "clone/frames.h"

namespace mb::workers {

inline constexpr size_t kMaxReadyBytes = 4 << 10;
inline constexpr size_t kMaxOperationBytes = 256;
inline constexpr size_t kMaxMessageBytes = 8 << 10;
inline constexpr size_t kMaxStackBytes = 16 << 10;
inline constexpr size_t kMaxCodeBytes = 4 << 20;  // of a check: code and map

// What we may have to tell a worker that does not read: all answers of a run, and the next run.
inline constexpr size_t kMaxUnsent = clone::kMaxBridgeBytes + 2 * clone::kMaxFrameBytes;
// A larger value is made a document of aside: a megabyte of small ones takes a core several milliseconds.
inline constexpr size_t kMaxOnCore = 64 << 10;
// Modules that a worker keeps.
inline constexpr size_t kMaxModules = 32;

}  // namespace mb::workers
