// What a worker may use, and what a run may. The limits of what passes between server and worker are in
// clone/frames.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace mb::worker {

inline constexpr size_t kHeapBytes = 64u << 20;       // of the engine; past it a run is out of memory
inline constexpr size_t kHeapGraceBytes = 16u << 20;  // in which a run that is past it is brought to its end
inline constexpr size_t kBufferBytes = 64u << 20;     // of all array buffers together
inline constexpr size_t kMaxTimers = 1000;            // that wait at the same time
inline constexpr size_t kMaxRejections = 1000;        // that nobody handles, of a run
inline constexpr int kMaxGuestDepth = 100;            // of containers inside each other in what a guest passes
inline constexpr size_t kMaxStackBytes = 4096;        // of a trace as text
inline constexpr size_t kMaxMessageBytes = 4096;      // of an error's message
inline constexpr size_t kMaxModules = 64;             // kept warm; the server unloads long before that
inline constexpr size_t kFlushBytes = 64u << 10;      // what is told to the server at once rather than with the rest
inline constexpr std::chrono::seconds kInterruptGrace{1};  // for a run to end once it is interrupted
inline constexpr std::chrono::seconds kMaxCheck{8};        // for the check of one source
inline constexpr std::chrono::seconds kMaxWrite{120};      // a server that reads nothing for so long is none

}  // namespace mb::worker
