// Cuts what a worker sends into frames. Nothing is allocated by what a length claims, and nothing waits for a frame
// that is of no known kind or too large for its kind. Private to workers/.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "clone/frames.h"

namespace mb::workers {

struct Frame {
  clone::FrameKind kind{};
  std::string_view body;  // until the next space()
};

class FrameReader {
 public:
  FrameReader();
  // Where the next bytes may be put, at least one; then filled() with how many there are.
  std::span<char> space();
  void filled(size_t count) { end_ += count; }
  // The next whole frame; nullopt where more bytes are needed, or refused().
  std::optional<Frame> next();
  bool refused() const { return refused_; }

 private:
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t needed_ = 0;  // bytes of the frame that has begun, with its header; 0: not known
  bool refused_ = false;
};

}  // namespace mb::workers
