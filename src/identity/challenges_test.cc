#include "identity/challenges.h"

#include <set>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class ChallengesTest : public IdentityFixture {
 protected:
  ChallengeRecord made(std::string id, int64_t lifeMs = 60'000, const UserId& user = UserId()) const {
    ChallengeRecord record;
    record.id = std::move(id);
    record.userId = user;
    record.expiresAt = {clock_.now().ms + lifeMs};
    return record;
  }
  std::string put(ChallengeRecord record, Existing existing = Existing::refuse) {
    return put(shop(), std::move(record), existing);
  }
  std::string put(Realm realm, ChallengeRecord record, Existing existing = Existing::refuse) {
    return codeOf(run(identity_.challenges().put(std::move(realm), std::move(record), existing, soon())));
  }
  std::set<std::string> held(store::ProjectNo project = kShop) const {
    std::set<std::string> ids;
    for (const auto& stored : store_.all({project, kChallenges, 0})) ids.emplace(stored.view().stringOr("id"));
    return ids;
  }
  const UserId ann_{"user_ann"};
};

TEST_F(ChallengesTest, WhatCountsOnceIsRefusedTheSecondTime) {
  EXPECT_EQ(put(made("state:1")), "");
  EXPECT_EQ(put(made("state:1")), "CONFLICT");
  EXPECT_EQ(put(made("state:2")), "");
}

TEST_F(ChallengesTest, WhatMayBeReplacedIs) {
  ChallengeRecord first = made("totp:ann");
  first.secret = "first";
  ChallengeRecord second = made("totp:ann");
  second.secret = "second";
  EXPECT_EQ(put(first, Existing::replace), "");
  EXPECT_EQ(put(second, Existing::replace), "");
  const auto stored = store_.all({kShop, kChallenges, 0});
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].view().stringOr("secret"), "second");
}

TEST_F(ChallengesTest, RealmsAreApart) {
  EXPECT_EQ(put(shop(), made("state:1")), "");
  EXPECT_EQ(put(other(), made("state:1")), "");
  EXPECT_EQ(put(Realm::platform(), made("state:1")), "");
}

TEST_F(ChallengesTest, OfParallelOnesOneIsTaken) {
  std::vector<Task<>> tries;
  for (int i = 0; i < 20; ++i) {
    tries.push_back(identity_.challenges().put(shop(), made("state:1"), Existing::refuse, soon()));
  }
  std::map<std::string, int> outcomes;
  for (const auto& result : runAll(std::move(tries))) ++outcomes[codeOf(result)];
  EXPECT_EQ(outcomes, (std::map<std::string, int>{{"", 1}, {"CONFLICT", 19}}));
}

// Each new one removes eight expired ones, so that abandoned ones of unauthenticated clients shrink.
TEST_F(ChallengesTest, ExpiredOnesGo) {
  for (int i = 0; i < 20; ++i) ASSERT_EQ(put(made("state:old" + std::to_string(i), 1000)), "");
  clock_.advance(999);
  ASSERT_EQ(put(made("state:a")), "");
  EXPECT_EQ(held().size(), 21U);
  clock_.advance(1);
  const std::pair<const char*, size_t> steps[] = {{"state:b", 14}, {"state:c", 7}, {"state:d", 4}};
  for (const auto& [id, left] : steps) {
    ASSERT_EQ(put(made(id)), "");
    EXPECT_EQ(held().size(), left) << id;
  }
  EXPECT_EQ(held(), (std::set<std::string>{"state:a", "state:b", "state:c", "state:d"}));
}

TEST_F(ChallengesTest, AnExpiredOneOfTheSameNameIsNoUse) {
  ASSERT_EQ(put(made("totp:ann", 1000, ann_), Existing::replace), "");
  clock_.advance(1000);
  ASSERT_EQ(put(made("totp:ann", 1000, ann_), Existing::replace), "");
  EXPECT_EQ(held(), std::set<std::string>{"totp:ann"});
}

TEST_F(ChallengesTest, AUserHasTenTheSoonestToEndGoes) {
  const UserId bob("user_bob");
  ASSERT_EQ(put(made("mfa:bob", 1000, bob)), "");
  // Created in another order than they expire.
  for (const int end : {5, 9, 1, 12, 3, 7, 11, 2, 10, 4, 8, 6}) {
    ASSERT_EQ(put(made("mfa:" + std::to_string(end), end * 60'000LL, ann_)), "");
    EXPECT_LE(held().size(), kChallengesPerUser + 1);
  }
  EXPECT_EQ(held(), (std::set<std::string>{"mfa:bob", "mfa:3", "mfa:4", "mfa:5", "mfa:6", "mfa:7", "mfa:8", "mfa:9",
                                           "mfa:10", "mfa:11", "mfa:12"}));
}

TEST_F(ChallengesTest, AChallengeWithoutAUserIsNotCountedForOne) {
  for (int i = 0; i < 15; ++i) ASSERT_EQ(put(made("state:" + std::to_string(i))), "");
  EXPECT_EQ(held().size(), 15U);
}

TEST_F(ChallengesTest, AStoreThatFailsUsesNothingUp) {
  store_.failWith(ErrorCode::unavailable);
  EXPECT_EQ(put(made("state:1")), "UNAVAILABLE");
  store_.failWith(std::nullopt);
  EXPECT_EQ(put(made("state:1")), "");
}

}  // namespace
}  // namespace mb::identity
