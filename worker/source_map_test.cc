#include "source_map.h"

#include <gtest/gtest.h>

namespace mb::worker {

namespace {

struct Case {
  const char* mappings;
  Position generated;
  Position original;
};

TEST(SourceMapTest, ReturnsPositionsOfTheOriginalCode) {
  const Case cases[] = {
      {"", {3, 14}, {3, 14}},
      {"AAAA", {1, 1}, {1, 1}},
      {"AAAA", {1, 5}, {1, 5}},  // a position after a mapping keeps its distance
      {"AAAA", {2, 1}, {2, 1}},  // a line without mappings
      {"AAAA,IAAI,CAAC", {1, 5}, {1, 5}},
      {"AACA;AACA", {2, 3}, {3, 3}},
      {"EAAI", {1, 3}, {1, 5}},
      {"EAAI", {1, 1}, {1, 1}},  // before the first mapping
      {"AAAA,GAAU", {1, 4}, {1, 11}},
      {"AAAA,GAAU,", {1, 3}, {1, 3}},
      {"A,CAAC", {1, 2}, {1, 2}},       // a segment without an original position
      {"AAAAA,CAACA", {1, 2}, {1, 2}},  // with names
      {"AAAA", {0, 0}, {0, 0}},
  };
  for (const Case& c : cases) {
    const Position found = SourceMap(c.mappings).original(c.generated);
    EXPECT_EQ(found.line, c.original.line) << c.mappings;
    EXPECT_EQ(found.column, c.original.column) << c.mappings;
  }
}

TEST(SourceMapTest, StopsAtMalformedText) {
  for (const char* mappings : {"!", "AAA!", "AAAA,!!!!", "////////////////", "DAAA", "AADA", "AAAD", "g",
                               "gggggggggggg", "AAgggggE,AAgggggE,AAgggggE", ";;;;;\xff"}) {
    const Position found = SourceMap(mappings).original({.line = 2, .column = 2});
    EXPECT_EQ(found.line, 2U) << mappings;
  }
}

}  // namespace

}  // namespace mb::worker
