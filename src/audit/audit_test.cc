#include "audit/audit.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mb::audit
