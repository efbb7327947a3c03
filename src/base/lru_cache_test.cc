#include "base/lru_cache.h"

#include <gtest/gtest.h>

namespace mb {
namespace {

TEST(LruCache, DropsTheLeastRecentlyUsed) {
  LruCache<int> cache(2);
  cache.put("a", 1);
  cache.put("b", 2);
  ASSERT_NE(cache.find("a"), nullptr);
  cache.put("c", 3);
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(*cache.find("a"), 1);
  EXPECT_EQ(*cache.find("c"), 3);
  EXPECT_EQ(cache.size(), 2U);
}

TEST(LruCache, PutReplacesAndRefreshes) {
  LruCache<int> cache(2);
  cache.put("a", 1);
  cache.put("b", 2);
  EXPECT_EQ(cache.put("a", 10), 10);
  cache.put("c", 3);
  EXPECT_EQ(*cache.find("a"), 10);
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST(LruCache, EraseAndClear) {
  LruCache<std::string> cache(4);
  cache.put("a", "x");
  cache.put("b", "y");
  cache.erase("a");
  cache.erase("never there");
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_EQ(*cache.find("b"), "y");
  cache.clear();
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST(LruCache, StaysBoundedAndConsistentUnderMany) {
  LruCache<int> cache(100);
  for (int i = 0; i < 10'000; ++i) {
    cache.put("a key too long for the small string buffer " + std::to_string(i), i);
    ASSERT_LE(cache.size(), 100U);
  }
  for (int i = 9'900; i < 10'000; ++i) {
    const int* found = cache.find("a key too long for the small string buffer " + std::to_string(i));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
  }
}

TEST(LruCache, IsBoundedByWeightToo) {
  LruCache<int> cache(100, 10);
  cache.put("a", 1, 4);
  cache.put("b", 2, 4);
  cache.put("c", 3, 4);
  EXPECT_EQ(cache.find("a"), nullptr);
  cache.put("b", 20, 1);
  cache.put("d", 4, 5);
  EXPECT_EQ(*cache.find("b"), 20);
  EXPECT_EQ(*cache.find("c"), 3);
  EXPECT_EQ(*cache.find("d"), 4);
  cache.put("e", 5, 10);
  EXPECT_EQ(cache.size(), 1U);
  cache.erase("e");
  cache.put("f", 6, 10);
  EXPECT_EQ(*cache.find("f"), 6);
}

}  // namespace
}  // namespace mb
