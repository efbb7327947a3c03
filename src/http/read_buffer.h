// The bytes that a connection has received and not yet consumed, contiguous. Private to this module.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace mb::http {

class ReadBuffer {
 public:
  // The bytes; valid until the next non-const call.
  std::string_view data() const { return {bytes_.get() + begin_, end_ - begin_}; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  // Space for at least `min` more bytes after data(); filled() reports how many arrived.
  std::span<char> space(size_t min) {
    if (capacity_ - end_ < min) reserve(min);
    return {bytes_.get() + end_, capacity_ - end_};
  }
  void filled(size_t count) { end_ += count; }

  // Removes `count` bytes from the front.
  void drop(size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Removes `count` bytes from `at` on; the bytes before them do not move.
  void cut(size_t at, size_t count) {
    char* const hole = bytes_.get() + begin_ + at;
    std::memmove(hole, hole + count, size() - at - count);
    end_ -= count;
  }
  // Frees memory beyond `keep` that an earlier request needed; keeps the bytes.
  void shrink(size_t keep) {
    if (capacity_ > keep && size() < keep) reallocate(size() == 0 ? 0 : keep);
  }

 private:
  void reserve(size_t min) {
    if (capacity_ - size() >= min && begin_ > 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
      return;
    }
    reallocate(std::max(capacity_ * 2, size() + min));
  }
  void reallocate(size_t capacity) {
    auto larger = capacity == 0 ? nullptr : std::make_unique_for_overwrite<char[]>(capacity);
    const size_t kept = size();
    if (kept > 0) std::memcpy(larger.get(), bytes_.get() + begin_, kept);
    bytes_ = std::move(larger);
    capacity_ = capacity;
    begin_ = 0;
    end_ = kept;
  }

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace mb::http
