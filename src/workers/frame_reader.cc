#include "workers/frame_reader.h"

#include <cstring>

#include "workers/limits.h"

namespace mb::workers {

namespace {

using clone::FrameKind;

constexpr size_t kHeader = 5;  // length and kind
constexpr size_t kBuffer = 16 << 10;
constexpr size_t kKeptBuffer = 64 << 10;  // a larger buffer is freed when it is empty

// Bytes after the kind.
size_t maxSizeOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::ready:
      return kMaxReadyBytes;
    case FrameKind::log:
      return clone::kMaxLogBytes + 16;
    case FrameKind::call:
      return clone::kMaxFileCallBytes + kMaxOperationBytes + 16;
    case FrameKind::done:
      return clone::kMaxResultBytes + 16;
    case FrameKind::failed:
      return kMaxMessageBytes + kMaxStackBytes + 32;
    case FrameKind::checked:
      return kMaxCodeBytes + 32;
    case FrameKind::refused:
      return kMaxMessageBytes + 32;
    default:
      return 0;
  }
}

}  // namespace

FrameReader::FrameReader() : buffer_(kBuffer) {}

std::span<char> FrameReader::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kKeptBuffer) buffer_ = std::vector<char>(kBuffer);
  } else if (begin_ > 0 && (end_ == buffer_.size() || begin_ >= buffer_.size() / 2)) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(std::max(needed_, kBuffer), buffer_.size()) + buffer_.size());
  return std::span(buffer_).subspan(end_);
}

std::optional<Frame> FrameReader::next() {
  const size_t have = end_ - begin_;
  if (refused_ || have < kHeader) return std::nullopt;
  const char* at = buffer_.data() + begin_;
  uint32_t length;
  std::memcpy(&length, at, sizeof length);
  const auto kind = static_cast<FrameKind>(static_cast<uint8_t>(at[sizeof length]));
  const size_t max = maxSizeOf(kind);
  if (length == 0 || max == 0 || length - 1 > max) {
    refused_ = true;
    return std::nullopt;
  }
  needed_ = sizeof length + length;
  if (have < needed_) return std::nullopt;
  const Frame frame{kind, {at + kHeader, needed_ - kHeader}};
  begin_ += needed_;
  needed_ = 0;
  return frame;
}

}  // namespace mb::workers
