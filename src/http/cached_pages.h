// Which bytes of a file are in the page cache. A core sends only those itself: reading others would block it on the
// disk. Private to this module.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mb::http {

class CachedPages {
 public:
  // Maps a piece of `file`. The process must have write access to the file, or the system reports all of it as cached.
  // The mapping takes only address space: nothing is read through it.
  CachedPages(int file, uint64_t offset, uint64_t length);
  ~CachedPages();
  CachedPages(const CachedPages&) = delete;

  // Whether all of the `length` bytes of the file from `at` are cached. `length` is at most kMaxLength; false if the
  // system cannot report it.
  bool hold(uint64_t at, size_t length) const;

  static constexpr size_t kMaxLength = 256 << 10;

 private:
  uint64_t start_ = 0;  // of the file, at a page's beginning
  size_t size_ = 0;
  void* pages_ = nullptr;  // null: the system cannot report it
};

}  // namespace mb::http
