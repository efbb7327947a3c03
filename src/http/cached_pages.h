// Which bytes of a file are in the page cache: those a core may send itself, all others would have it wait for the
// disk. Private to this module.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mb::http {

class CachedPages {
 public:
  // A piece of a file, which must be one that this process may write, or else the system shows all of it as cached. It
  // takes address space and nothing else: nothing is read through it.
  CachedPages(int file, uint64_t offset, uint64_t length);
  ~CachedPages();
  CachedPages(const CachedPages&) = delete;

  // Whether all of `length` bytes from `at`, of the file, are cached. At most kMaxLength of them; false where the
  // system cannot tell.
  bool hold(uint64_t at, size_t length) const;

  static constexpr size_t kMaxLength = 256 << 10;

 private:
  uint64_t start_ = 0;  // of the file, at a page's beginning
  size_t size_ = 0;
  void* pages_ = nullptr;  // null: the system cannot tell
};

}  // namespace mb::http
