#include "http/cached_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "base/descriptor.h"

namespace mb::http {
namespace {

// Pages 0 to 3 and 8 to 11 are cached, 4 to 7 are not.
Descriptor patchy() {
  Descriptor file(::memfd_create("patchy", MFD_CLOEXEC));
  const std::string pages(4 * 4096, 'a');
  EXPECT_EQ(::pwrite(file.get(), pages.data(), pages.size(), 0), static_cast<ssize_t>(pages.size()));
  EXPECT_EQ(::pwrite(file.get(), pages.data(), pages.size(), 8 * 4096), static_cast<ssize_t>(pages.size()));
  return file;
}

TEST(CachedPages, TellsByThePage) {
  const Descriptor file = patchy();
  const CachedPages cached(file.get(), 0, 12 * 4096);
  EXPECT_TRUE(cached.hold(0, 4 * 4096));
  EXPECT_TRUE(cached.hold(4095, 2));
  EXPECT_TRUE(cached.hold(4 * 4096 - 1, 1));
  EXPECT_FALSE(cached.hold(4 * 4096 - 1, 2));
  EXPECT_FALSE(cached.hold(5 * 4096, 1));
  EXPECT_FALSE(cached.hold(8 * 4096 - 1, 2));
  EXPECT_TRUE(cached.hold(8 * 4096, 4 * 4096));
  EXPECT_FALSE(cached.hold(0, 12 * 4096));
}

TEST(CachedPages, APieceMayBeginAnywhere) {
  const Descriptor file = patchy();
  const CachedPages cached(file.get(), 3 * 4096 + 100, 6 * 4096);
  EXPECT_TRUE(cached.hold(3 * 4096 + 100, 4096 - 100));
  EXPECT_FALSE(cached.hold(3 * 4096 + 100, 4096 - 99));
  EXPECT_TRUE(cached.hold(8 * 4096 + 1, 4096));
}

TEST(CachedPages, WhatCannotBeToldIsNotCached) {
  const Descriptor file = patchy();
  const CachedPages cached(file.get(), 0, 1 << 20);
  EXPECT_FALSE(cached.hold(0, CachedPages::kMaxLength + 1));
  EXPECT_FALSE(cached.hold(12 * 4096, 1)) << "after the end";
  const CachedPages none(-1, 0, 4096);
  EXPECT_FALSE(none.hold(0, 1));
  const CachedPages empty(file.get(), 0, 0);
  EXPECT_FALSE(empty.hold(0, 1));
}

}  // namespace
}  // namespace mb::http
