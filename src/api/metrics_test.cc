#include "api/metrics.h"

#include <gtest/gtest.h>

#include "base/cores.h"
#include "store/testing/running.h"

namespace mb::api {
namespace {

Route routeTo(std::string pattern, Gate gate) {
  return {http::Method::get, std::move(pattern), gate, {}, "", ""};
}

TEST(MetricsTest, RoutesCountAsTheirPlane) {
  const struct {
    const char* pattern;
    Gate gate;
    std::optional<CountedPlane> plane;
  } cases[] = {
      {"/api/v1/auth/login", authPublic("login"), CountedPlane::auth},
      {"/api/v1/auth/sessions", endUser(), CountedPlane::auth},
      {"/api/v1/:collection/:id", data("read"), CountedPlane::data},
      {"/api/v1/:collection", data("write"), CountedPlane::data},
      {"/api/v1/admin/users", admin("users:read"), CountedPlane::admin},
      {"/api/v1/admin/storage/buckets", admin("storage:read"), CountedPlane::admin},
      {"/api/v1/graphql", data("read"), CountedPlane::graphql},
      {"/api/v1/storage/*path", open(), CountedPlane::storage},
      {"/api/v1/run/:project/*path", open(), CountedPlane::functions},
      {"/api/v1/health", open(), std::nullopt},
      {"/api/v1/control/auth/login", controlPublic("login"), std::nullopt},
      {"/api/v1/control/projects/:id", control(), std::nullopt},
      {"/auth/login", open(), std::nullopt},
      {"/api/v1/authors", open(), std::nullopt},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(countedPlaneOf(routeTo(each.pattern, each.gate)), each.plane) << each.pattern;
  }
}

Task<> countOne(const ProjectCounters& counters, int status) {
  counters.count(CountedPlane::data, status);
  co_return Result<>();
}

TEST(MetricsTest, EveryCoreCountsForItself) {
  Cores cores(2);
  cores.start();
  const ProjectCounters counters(2, Timestamp{1});
  for (const int status : {200, 204, 304, 399, 400, 404, 503}) {
    for (const int core : {0, 1}) EXPECT_TRUE(store::testing::runOn(cores, core, countOne(counters, status)));
  }
  EXPECT_EQ(counters.of(CountedPlane::data).ok, 8u);
  EXPECT_EQ(counters.of(CountedPlane::data).error, 6u);
  EXPECT_EQ(counters.of(CountedPlane::admin).ok, 0u);
  cores.stop();
  cores.join();
}

TEST(MetricsTest, ANewSnapshotGoesOnCounting) {
  Cores cores(1);
  cores.start();
  ManualClock clock{1'000};
  RequestCounters source(1, clock);
  const auto load = [&](store::ProjectNo number) {
    snapshot::ProjectInfo info;
    info.number = number;
    auto slot = *store::testing::runOn(cores, 0, source.load(std::move(info)));
    return std::static_pointer_cast<const ProjectCounters>(slot);
  };
  auto first = load(2);
  clock.advance(5'000);
  auto again = load(2);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, load(3));
  EXPECT_EQ(again->since().ms, 1'000);
  first.reset();
  again.reset();
  EXPECT_EQ(load(2)->since().ms, 6'000);
  // Counters that are no longer in use are pruned.
  for (store::ProjectNo number = 10; number < 5'000; ++number) load(number);
  cores.stop();
  cores.join();
}

}  // namespace
}  // namespace mb::api
