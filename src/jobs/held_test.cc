#include "jobs/held.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::jobs {
namespace {

TEST(Lane, ItsPartsStandBeforeItsPlaces) {
  const Lane lane("mail", 7, "g");
  EXPECT_EQ(lane.all(),
            "rmail\x01"
            "7\x01"
            "g\x01");
  EXPECT_EQ(lane.ofProject(),
            "rmail\x01"
            "7\x01");
  EXPECT_EQ(lane.ofKind(), kindPrefix("mail"));
  EXPECT_TRUE(lane.grouped());
  EXPECT_FALSE(Lane("mail", 7, "").grouped());
  const std::string place = readyPlace(lane, {1'800'000'000'000}, "s");
  EXPECT_TRUE(place.starts_with(lane.all()));
  EXPECT_LT(place, behind(lane.all()));
  EXPECT_LT(place, readyPlace(lane, {1'800'000'000'001}, "a"));
  // A group whose name begins with another's is another's all the same.
  EXPECT_GT(Lane("mail", 7, "ga").all(), behind(lane.all()));
  EXPECT_LT(Lane("mail", 7, "\xC3\xA9").all(), behind(lane.ofProject()));
}

TEST(Held, BoundsGroupsProjectsAndKinds) {
  Held held;
  const Lane group("k", 2, "g"), other("k", 2, "h"), none("k", 2, "");
  for (size_t i = 0; i < Held::kOfGroup; ++i) EXPECT_EQ(held.enter(group, "p"), std::nullopt);
  EXPECT_EQ(held.enter(group, "p"), group.all());
  EXPECT_EQ(held.enter(other, "p"), std::nullopt);
  for (size_t i = Held::kOfGroup + 1; i < Held::kOfProject; ++i) EXPECT_EQ(held.enter(none, "p"), std::nullopt);
  EXPECT_EQ(held.enter(none, "p"), none.ofProject());
  EXPECT_EQ(held.enter(other, "p"), other.ofProject());
  for (size_t i = Held::kOfProject; i < Held::kOfKind; ++i) {
    EXPECT_EQ(held.enter(Lane("k", static_cast<store::ProjectNo>(3 + i), ""), "p"), std::nullopt);
  }
  EXPECT_EQ(held.enter(Lane("k", 5000, "g"), "p"), std::string(kindPrefix("k")));
  EXPECT_EQ(held.enter(Lane("l", 2, "g"), "p"), std::nullopt);
}

TEST(Held, APartThatHasMoreIsNamedOnceItIsNearlyEmpty) {
  Held held;
  const Lane lane("k", 2, "g");
  for (size_t i = 0; i < Held::kOfGroup; ++i) held.enter(lane, "p");
  for (size_t i = 0; i < Held::kOfGroup; ++i) held.leave(lane);
  EXPECT_FALSE(held.anyToFill());  // nobody was turned away
  for (size_t i = 0; i < Held::kOfGroup; ++i) held.enter(lane, "p");
  for (const char* place : {"r", "q", "s"}) EXPECT_EQ(held.enter(lane, place), lane.all());
  held.enterAgain(lane);  // a retry
  for (size_t i = 0; i < Held::kOfGroup * 3 / 4; ++i) held.leave(lane);
  EXPECT_FALSE(held.anyToFill());
  held.leave(lane);
  const auto part = held.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, lane.all());
  EXPECT_EQ(part->from, "q");
  held.leave(lane);
  EXPECT_FALSE(held.nextToFill());
}

TEST(Held, APartWaitsOnceAndThoseThatWaitLongestComeFirst) {
  Held held;
  held.fillOn({"a", "a5"});
  held.fillOn({"b", "b5"});
  for (int i = 0; i < 1000; ++i) held.fillOn({"b", i == 500 ? "" : "b7"});
  held.fillOn({"a", "a7"});
  auto part = held.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, "a");
  EXPECT_EQ(part->from, "a5");
  held.fillOn(*part);
  part = held.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, "b");
  EXPECT_EQ(part->from, "");
  EXPECT_EQ(held.nextToFill()->prefix, "a");
  EXPECT_FALSE(held.anyToFill());
}

TEST(Held, SoManyPartsWaitAtMost) {
  Held held;
  for (size_t i = 0; i < 2 * Held::kMaxToFill; ++i) held.fillOn({fmt::format("{:05}", i), ""});
  size_t parts = 0;
  while (held.nextToFill()) ++parts;
  EXPECT_EQ(parts, Held::kMaxToFill);
}

}  // namespace
}  // namespace mb::jobs
