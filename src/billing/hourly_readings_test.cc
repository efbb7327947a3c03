#include "billing/hourly_readings.h"

#include "billing/usage_fixture.h"

namespace mb::billing {
namespace {

class HourlyReadingsTest : public UsageFixture {
 protected:
  const policy::Caller ann_ = person("ann@example.com");
  const projects::ProjectView shop_ = made(ann_, "Shop");
};

TEST_F(HourlyReadingsTest, EveryProjectIsRead) {
  const policy::Caller bob = person("bob@example.com");
  const projects::ProjectView blog = made(bob, "Blog");
  const projects::ProjectView stage = environment(ann_, shop_, "stage");
  const projects::ProjectView old = made(bob, "Old");
  ASSERT_TRUE(run(projects_->remove(by(bob), old.id.str())));
  meters_.usages[shop_.id.str()] = {.storageBytes = 1};
  meters_.usages[blog.id.str()] = {.storageBytes = 2};
  meters_.usages[stage.id.str()] = {.storageBytes = 3};
  EXPECT_TRUE(pass());
  std::map<std::string, int64_t> stored;
  for (const DayRecord& each : days()) stored[each.projectId] = each.storageBytes;
  const std::map<std::string, int64_t> expected = {{shop_.id.str(), 1}, {blog.id.str(), 2}, {stage.id.str(), 3}};
  EXPECT_EQ(stored, expected);
}

TEST_F(HourlyReadingsTest, AFailureLeavesTheOthersAlone) {
  const policy::Caller bob = person("bob@example.com");
  const projects::ProjectView blog = made(bob, "Blog");
  meters_.failing.insert(shop_.id.str());
  EXPECT_FALSE(pass());
  ASSERT_EQ(days().size(), 1u);
  EXPECT_EQ(days().front().projectId, blog.id.str());
  meters_.failing.clear();
  EXPECT_TRUE(pass());
  EXPECT_EQ(days().size(), 2u);
}

TEST_F(HourlyReadingsTest, OldDaysGoWithAPass) {
  read(shop_, "2026-01-01T08:00:00Z", {});
  clock_.set(at("2027-01-15T08:00:00Z").ms);
  EXPECT_TRUE(pass());
  ASSERT_EQ(days().size(), 1u);
  EXPECT_EQ(days().front().day, "2027-01-15");
}

}  // namespace
}  // namespace mb::billing
