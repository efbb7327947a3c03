#include "functions/checked_codes.h"

#include <gtest/gtest.h>

namespace mb::functions {
namespace {

TEST(CheckedCodes, AreKnownByProjectAndCode) {
  CheckedCodes codes;
  codes.put(2, "let x: number", {"let x", "map"});
  ASSERT_TRUE(codes.find(2, "let x: number"));
  EXPECT_EQ(codes.find(2, "let x: number")->code, "let x");
  EXPECT_EQ(codes.find(2, "let x: number")->map, "map");
  EXPECT_FALSE(codes.find(3, "let x: number"));
  EXPECT_FALSE(codes.find(2, "let x"));
}

TEST(CheckedCodes, EvictsTheLeastRecentlyUsed) {
  CheckedCodes codes(3'000);
  const auto put = [&](std::string_view code) { codes.put(1, code, {std::string(800, 'x'), ""}); };
  put("a");
  put("b");
  put("c");
  EXPECT_TRUE(codes.find(1, "a"));
  put("d");
  EXPECT_FALSE(codes.find(1, "b"));
  for (const std::string_view kept : {"a", "c", "d"}) EXPECT_TRUE(codes.find(1, kept)) << kept;
  codes.put(1, "large", {std::string(4'000, 'x'), ""});
  EXPECT_FALSE(codes.find(1, "large"));
  EXPECT_TRUE(codes.find(1, "a"));
}

}  // namespace
}  // namespace mb::functions
