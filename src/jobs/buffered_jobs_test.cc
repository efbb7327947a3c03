#include "jobs/buffered_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::jobs {
namespace {

TEST(FairnessKey, ItsPartsArePrefixesOfItsPlaces) {
  const FairnessKey fairnessKey("mail", 7, "g");
  EXPECT_EQ(fairnessKey.all(),
            "rmail\x01"
            "7\x01"
            "g\x01");
  EXPECT_EQ(fairnessKey.ofProject(),
            "rmail\x01"
            "7\x01");
  EXPECT_EQ(fairnessKey.ofKind(), kindPrefix("mail"));
  EXPECT_TRUE(fairnessKey.grouped());
  EXPECT_FALSE(FairnessKey("mail", 7, "").grouped());
  const std::string place = readyPlace(fairnessKey, {1'800'000'000'000}, "s");
  EXPECT_TRUE(place.starts_with(fairnessKey.all()));
  EXPECT_LT(place, behind(fairnessKey.all()));
  EXPECT_LT(place, readyPlace(fairnessKey, {1'800'000'000'001}, "a"));
  // Groups are distinct, also where one name is a prefix of the other.
  EXPECT_GT(FairnessKey("mail", 7, "ga").all(), behind(fairnessKey.all()));
  EXPECT_LT(FairnessKey("mail", 7, "\xC3\xA9").all(), behind(fairnessKey.ofProject()));
}

TEST(BufferedJobs, BoundsGroupsProjectsAndKinds) {
  BufferedJobs buffered;
  const FairnessKey group("k", 2, "g"), other("k", 2, "h"), none("k", 2, "");
  for (size_t i = 0; i < BufferedJobs::kOfGroup; ++i) EXPECT_EQ(buffered.enter(group, "p"), std::nullopt);
  EXPECT_EQ(buffered.enter(group, "p"), group.all());
  EXPECT_EQ(buffered.enter(other, "p"), std::nullopt);
  for (size_t i = BufferedJobs::kOfGroup + 1; i < BufferedJobs::kOfProject; ++i)
    EXPECT_EQ(buffered.enter(none, "p"), std::nullopt);
  EXPECT_EQ(buffered.enter(none, "p"), none.ofProject());
  EXPECT_EQ(buffered.enter(other, "p"), other.ofProject());
  for (size_t i = BufferedJobs::kOfProject; i < BufferedJobs::kOfKind; ++i) {
    EXPECT_EQ(buffered.enter(FairnessKey("k", static_cast<store::ProjectNo>(3 + i), ""), "p"), std::nullopt);
  }
  EXPECT_EQ(buffered.enter(FairnessKey("k", 5000, "g"), "p"), std::string(kindPrefix("k")));
  EXPECT_EQ(buffered.enter(FairnessKey("l", 2, "g"), "p"), std::nullopt);
}

TEST(BufferedJobs, APartWithMoreIsFilledOnceItIsNearlyEmpty) {
  BufferedJobs buffered;
  const FairnessKey fairnessKey("k", 2, "g");
  for (size_t i = 0; i < BufferedJobs::kOfGroup; ++i) buffered.enter(fairnessKey, "p");
  for (size_t i = 0; i < BufferedJobs::kOfGroup; ++i) buffered.leave(fairnessKey);
  EXPECT_FALSE(buffered.anyToFill());  // no place was rejected
  for (size_t i = 0; i < BufferedJobs::kOfGroup; ++i) buffered.enter(fairnessKey, "p");
  for (const char* place : {"r", "q", "s"}) EXPECT_EQ(buffered.enter(fairnessKey, place), fairnessKey.all());
  buffered.enterRetry(fairnessKey);  // a retry
  for (size_t i = 0; i < BufferedJobs::kOfGroup * 3 / 4; ++i) buffered.leave(fairnessKey);
  EXPECT_FALSE(buffered.anyToFill());
  buffered.leave(fairnessKey);
  const auto part = buffered.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, fairnessKey.all());
  EXPECT_EQ(part->from, "q");
  buffered.leave(fairnessKey);
  EXPECT_FALSE(buffered.nextToFill());
}

TEST(BufferedJobs, APartIsQueuedOnceAndInOrder) {
  BufferedJobs buffered;
  buffered.requestFill({"a", "a5"});
  buffered.requestFill({"b", "b5"});
  for (int i = 0; i < 1000; ++i) buffered.requestFill({"b", i == 500 ? "" : "b7"});
  buffered.requestFill({"a", "a7"});
  auto part = buffered.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, "a");
  EXPECT_EQ(part->from, "a5");
  buffered.requestFill(*part);
  part = buffered.nextToFill();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->prefix, "b");
  EXPECT_EQ(part->from, "");
  EXPECT_EQ(buffered.nextToFill()->prefix, "a");
  EXPECT_FALSE(buffered.anyToFill());
}

TEST(BufferedJobs, QueuedPartsAreBounded) {
  BufferedJobs buffered;
  for (size_t i = 0; i < 2 * BufferedJobs::kMaxToFill; ++i) buffered.requestFill({fmt::format("{:05}", i), ""});
  size_t parts = 0;
  while (buffered.nextToFill()) ++parts;
  EXPECT_EQ(parts, BufferedJobs::kMaxToFill);
}

}  // namespace
}  // namespace mb::jobs
