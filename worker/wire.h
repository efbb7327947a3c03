// The one socket that a worker has: frames (clone/frames.h) in and out. The server never blocks, so that a worker may
// wait for it with either. What is no frame ends the process.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "clone/format.h"
#include "clone/frames.h"

namespace mb::worker {

using SteadyTime = std::chrono::steady_clock::time_point;

// Ends the process: the server broke the rules, or the worker cannot do its work. Never returns.
[[noreturn]] void endProcess(int code, const char* why);

inline constexpr int kEndedByBreach = 2;
inline constexpr int kEndedUnconfined = 3;
inline constexpr int kEndedOutOfMemory = 4;
inline constexpr int kEndedStuck = 5;

struct Incoming {
  clone::FrameKind kind;
  clone::Reader body;  // good until the next receive()
};

class Wire {
 public:
  explicit Wire(int socket);

  // ---- out: begin(), fields, end(), with no guest code in between. Frames stand in a buffer until flush().
  clone::Writer begin(clone::FrameKind kind);
  void raw(std::string_view bytes) { out_.append(bytes); }  // a value that stands ready
  void end();
  size_t waiting() const { return out_.size(); }
  void flush();

  // ---- in
  // The next frame; nothing where none came until `until`. Without one it waits as long as it takes. The process ends
  // with 0 where the server is gone.
  std::optional<Incoming> receive(std::optional<SteadyTime> until);

 private:
  std::optional<Incoming> takeFrame();
  void reserve();
  bool waitFor(short events, std::optional<SteadyTime> until) const;

  int socket_;
  std::string out_;
  size_t frameAt_ = 0;  // the frame that is being written
  std::string in_;
  size_t begin_ = 0;  // of what was received and not taken
  size_t end_ = 0;
};

}  // namespace mb::worker
