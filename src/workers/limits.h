// Bounds on a worker's frames, in addition to clone/frames.h. A worker that breaks one counts as compromised. Private
// to workers/.
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

// The most bytes that may be unsent to a worker that does not read: all replies of a run, and the next run.
inline constexpr size_t kMaxUnsent = clone::kMaxBridgeBytes + clone::kMaxFrameBytes + clone::kMaxRunFrameBytes;
// Larger values are decoded on another thread: a megabyte of small values takes several milliseconds.
inline constexpr size_t kMaxOnCore = 64 << 10;
// JS modules that a worker keeps loaded.
inline constexpr size_t kMaxModules = 32;

}  // namespace mb::workers
