// A FrameReader splits the bytes of a worker into frames. It never allocates by a claimed length alone, and refuses a
// frame of an unknown kind, or too large for its kind, as soon as its header is read. Private to workers/.
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
  // The space for the next bytes, at least one. Call filled() with the number of bytes written to it.
  std::span<char> space();
  void filled(size_t count) { end_ += count; }
  // The next whole frame; nullopt if more bytes are needed, or if refused().
  std::optional<Frame> next();
  bool refused() const { return refused_; }

 private:
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t needed_ = 0;  // size of the current frame, with its header; 0: not known
  bool refused_ = false;
};

}  // namespace mb::workers
