#include "jobs/sweep_pages.h"

#include <gtest/gtest.h>

namespace mb::jobs {
namespace {

struct Cost {
  size_t pages = 0;
  size_t rows = 0;
};

// The cost of a walk over `fairnessKeys` keys of `rowsPerKey` rows each, all skipped at their first row.
Cost leaping(size_t fairnessKeys, size_t rowsPerKey) {
  SweepPages pages;
  Cost cost;
  size_t fairnessKey = 0, row = 0;  // the walk's position
  while (fairnessKey < fairnessKeys) {
    size_t read = 0, skipped = 0;
    for (; read < pages.rows() && fairnessKey < fairnessKeys; ++read) {
      skipped += row > 0 ? 1 : 0;
      if (++row == rowsPerKey) {
        row = 0;
        ++fairnessKey;
      }
    }
    if (row > 0) {
      row = 0;
      ++fairnessKey;
    }
    pages.onPage(true, read, skipped);
    ++cost.pages;
    cost.rows += read;
  }
  return cost;
}

TEST(SweepPages, KeysToSkipCostARowOrTwo) {
  const Cost cost = leaping(1000, 5000);
  EXPECT_EQ(cost.pages, 1000u);
  EXPECT_LE(cost.rows, 1500u);
}

TEST(SweepPages, KeysOfOneRowAreReadManyAtATime) {
  EXPECT_LE(leaping(1000, 1).pages, 30u);
}

TEST(SweepPages, WhatIsTakenIsReadInWholePages) {
  SweepPages pages;
  EXPECT_EQ(pages.rows(), 1u);
  pages.onPage(false, 1, 0);
  EXPECT_EQ(pages.rows(), SweepPages::kMaxRows);
}

}  // namespace
}  // namespace mb::jobs
