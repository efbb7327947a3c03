// Bounds of a worker and of a run. The bounds of the frames between server and worker are in clone/frames.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace mb::worker {

inline constexpr size_t kHeapBytes = 64u << 20;            // of the engine; past it a run is out of memory
inline constexpr size_t kHeapGraceBytes = 16u << 20;       // in addition, while a run past kHeapBytes is interrupted
inline constexpr size_t kBufferBytes = 64u << 20;          // of all array buffers together
inline constexpr size_t kMaxTimers = 1000;                 // pending at the same time
inline constexpr size_t kMaxRejections = 1000;             // without a handler, of a run
inline constexpr int kMaxGuestDepth = 100;                 // of nested containers in a value of a guest
inline constexpr size_t kMaxStackBytes = 4096;             // of a trace as text
inline constexpr size_t kMaxMessageBytes = 4096;           // of an error's message
inline constexpr size_t kMaxModules = 64;                  // loaded JS modules; the server unloads long before that
inline constexpr size_t kFlushBytes = 64u << 10;           // of buffered frames; more are sent during the run
inline constexpr std::chrono::seconds kInterruptGrace{1};  // for a run to end once it is interrupted
inline constexpr std::chrono::seconds kMaxCheck{8};        // for the check of one source
inline constexpr std::chrono::seconds kMaxWrite{120};      // the process ends if the server reads nothing for so long

}  // namespace mb::worker
