// A Wire is the worker's only socket: frames (clone/frames.h) in and out. The server never blocks, so the worker may
// block in reads and writes. A malformed frame ends the process.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "clone/format.h"
#include "clone/frames.h"

namespace mb::worker {

using SteadyTime = std::chrono::steady_clock::time_point;

// Ends the process: the server violated the protocol, or the worker cannot continue. Never returns.
[[noreturn]] void endProcess(int code, const char* why);

inline constexpr int kEndedByBreach = 2;
inline constexpr int kEndedUnconfined = 3;
inline constexpr int kEndedOutOfMemory = 4;
inline constexpr int kEndedStuck = 5;

struct Incoming {
  clone::FrameKind kind;
  clone::Reader body;  // valid until the next receive()
};

class Wire {
 public:
  explicit Wire(int socket);

  // ---- out: begin(), fields, end(), with no guest code in between. Frames are buffered until flush().
  clone::Writer begin(clone::FrameKind kind);
  void raw(std::string_view bytes) { out_.append(bytes); }  // an encoded value
  void end();
  size_t waiting() const { return out_.size(); }
  void flush();

  // ---- in
  // The next frame; nullopt if none arrives until `until`. Waits without limit if `until` is nullopt. The process ends
  // with 0 if the server has closed the socket.
  std::optional<Incoming> receive(std::optional<SteadyTime> until);

 private:
  std::optional<Incoming> takeFrame();
  void reserve();
  bool waitFor(short events, std::optional<SteadyTime> until) const;

  int socket_;
  std::string out_;
  size_t frameAt_ = 0;  // the frame that is being written
  std::string in_;
  size_t begin_ = 0;  // of the received bytes that were not read
  size_t end_ = 0;
};

}  // namespace mb::worker
