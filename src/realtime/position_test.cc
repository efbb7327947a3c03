#include "realtime/position.h"

#include <gtest/gtest.h>

#include <set>

namespace mb::realtime {
namespace {

class PositionTest : public testing::Test {
 protected:
  static MasterSecret master(char fill) {
    initCrypto();
    return MasterSecret(Secret(std::string(32, fill)));
  }
  PositionCipher cipher_{master('a')};
};

TEST_F(PositionTest, ComesBackInItsProjectOnly) {
  for (const uint64_t position : {uint64_t{0}, uint64_t{1}, uint64_t{4711}, UINT64_MAX - 1}) {
    const std::string text = cipher_.write(7, position);
    EXPECT_EQ(text.size(), 22u);
    EXPECT_EQ(cipher_.read(7, text), position);
    EXPECT_EQ(cipher_.read(8, text), std::nullopt);
    PositionCipher other{master('b')};
    EXPECT_EQ(other.read(7, text), std::nullopt);
  }
}

TEST_F(PositionTest, WhatWasNotWrittenHereIsRefused) {
  const std::string text = cipher_.write(7, 42);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(cipher_.read(7, changed), std::nullopt) << i;
  }
  for (const std::string& wrong : {std::string(), std::string("42"), text + "A", text.substr(1), std::string(22, '='),
                                   std::string(22, 'A'), std::string(21, 'A') + "\xff"}) {
    EXPECT_EQ(cipher_.read(7, wrong), std::nullopt) << wrong;
  }
}

// Texts of neighbouring positions have nothing in common that would show their distance.
TEST_F(PositionTest, TellsNothingOfWhatLiesBetween) {
  std::set<std::string> beginnings;
  for (uint64_t position = 1; position <= 500; ++position) beginnings.insert(cipher_.write(7, position).substr(0, 6));
  EXPECT_EQ(beginnings.size(), 500u);
}

}  // namespace
}  // namespace mb::realtime
