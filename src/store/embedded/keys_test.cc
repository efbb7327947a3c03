#include "store/embedded/keys.h"

#include <gtest/gtest.h>

#include "base/crypto.h"

namespace mb::store::embedded {

namespace {

std::string hex(std::string_view bytes) {
  return toHex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace

TEST(KeysTest, GoldenBytes) {
  EXPECT_EQ(hex(documentKey(1, 1000, "ab")), "00000001000003e86162");
  EXPECT_EQ(hex(logKey(7, 258)), "000000070000000000000102");
  EXPECT_EQ(hex(row::of(row::kCollection, 1, 1000)), "4300000001000003e8");
  EXPECT_EQ(hex(row::tombstone(5)), "540000000000000005");
}

TEST(KeysTest, SuccessorsBoundAPrefix) {
  EXPECT_EQ(successor("ab"), "ac");
  EXPECT_EQ(successor("a\xFF\xFF"), "b");
  EXPECT_EQ(successor("\xFF\xFF"), "");
  EXPECT_EQ(successor(rangePrefix(1, UINT32_MAX)), std::string("\0\0\0\2", 4));
}

}  // namespace mb::store::embedded
