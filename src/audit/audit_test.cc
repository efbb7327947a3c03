#include "audit/audit.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::audit {
namespace {

TEST(Auditor, MakesAnInsertForTheProjectItIsAbout) {
  ManualClock clock(1'700'000'000'000);
  IdGenerator ids(clock);
  Auditor auditor(true, ids, clock);
  const auto inserts =
      auditor.entry(7, "user.block", {"member", "user_1", "a@example.com"}, "users/user_2", "203.0.113.9", "req-1");
  ASSERT_EQ(inserts.size(), 1U);
  EXPECT_EQ(inserts[0].collection.project, 7U);
  EXPECT_EQ(inserts[0].collection.number, kAuditCollection);
  const auto entry = doc::decode<AuditEntry>(inserts[0].document.view());
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->id.str().starts_with("aud_"));
  EXPECT_EQ(entry->at, clock.now());
  EXPECT_EQ(entry->action, "user.block");
  EXPECT_EQ(entry->actor.email, "a@example.com");
  EXPECT_EQ(entry->target, "users/user_2");
  EXPECT_EQ(entry->ip, "203.0.113.9");
  EXPECT_EQ(entry->requestId, "req-1");
}

TEST(Auditor, OffMakesNothing) {
  ManualClock clock(0);
  IdGenerator ids(clock);
  Auditor auditor(false, ids, clock);
  EXPECT_TRUE(auditor.entry(7, "user.block", {"member", "user_1", std::nullopt}, "users/user_2", "", "").empty());
}

TEST(Auditor, FailuresAreBoundedAndWhatIsLeftOutIsCounted) {
  ManualClock clock(1'700'000'000'000);
  IdGenerator ids(clock);
  Auditor auditor(true, ids, clock);
  const auto record = [&](store::ProjectNo project) {
    return auditor.failure(project, "login.failed", {"anonymous", "", std::nullopt}, "users", "", "",
                           *doc::parseJson(R"({"method":"password"})"));
  };
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += record(7).empty() ? 0 : 1;
  EXPECT_EQ(taken, 60);
  EXPECT_FALSE(record(8).empty());
  clock.advance(kMsPerFailure - 1);
  EXPECT_TRUE(record(7).empty());
  clock.advance(1);
  const auto next = record(7);
  ASSERT_EQ(next.size(), 1U);
  const auto details = doc::decode<AuditEntry>(next[0].document.view())->details;
  EXPECT_EQ(details.view().find("omitted")->asInteger(), 41);
  EXPECT_EQ(details.view().stringOr("method"), "password");
  EXPECT_TRUE(record(7).empty());
  // A minute makes up for ten; an hour for all, and no more than all.
  clock.advance(60'000);
  taken = 0;
  for (int i = 0; i < 30; ++i) taken += record(7).empty() ? 0 : 1;
  EXPECT_EQ(taken, 10);
  clock.advance(3'600'000);
  taken = 0;
  for (int i = 0; i < 100; ++i) taken += record(7).empty() ? 0 : 1;
  EXPECT_EQ(taken, 60);
}

TEST(Auditor, AClockSetBackDoesNotShutTheRecord) {
  ManualClock clock(1'700'000'000'000);
  FailureBound bound(clock);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(bound.take(1));
  clock.advance(-86'400'000);
  EXPECT_FALSE(bound.take(1));
  clock.advance(kMsPerFailure);
  EXPECT_TRUE(bound.take(1));
}

}  // namespace
}  // namespace mb::audit
