#include "http/cached_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>

namespace mb::http {

namespace {

constexpr size_t kPage = 4096;  // the smallest page size; with larger pages fewer entries are filled

uint64_t roundDown(uint64_t at) {
  return at / kPage * kPage;
}

}  // namespace

CachedPages::CachedPages(int file, uint64_t offset, uint64_t length)
    : start_(roundDown(offset)), size_(static_cast<size_t>(offset + length - start_)) {
  void* const pages = ::mmap(nullptr, size_, PROT_NONE, MAP_SHARED, file, static_cast<off_t>(start_));
  if (pages != MAP_FAILED) pages_ = pages;
}

CachedPages::~CachedPages() {
  if (pages_ != nullptr) ::munmap(pages_, size_);
}

bool CachedPages::hold(uint64_t at, size_t length) const {
  if (pages_ == nullptr || length > kMaxLength) return false;
  const uint64_t from = roundDown(at) - start_;
  const size_t size = static_cast<size_t>(at + length - start_ - from);
  std::array<unsigned char, kMaxLength / kPage + 1> cached{};
  if (::mincore(static_cast<char*>(pages_) + from, size, cached.data()) != 0) return false;
  const size_t count = (size + kPage - 1) / kPage;
  return std::all_of(cached.begin(), cached.begin() + static_cast<ptrdiff_t>(count),
                     [](unsigned char page) { return (page & 1) != 0; });
}

}  // namespace mb::http
