#include "identity/sessions.h"

#include <boost/asio/co_spawn.hpp>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class SessionsTest : public IdentityFixture {
 protected:
  Result<Sessions::Refreshed> refresh(const Realm& realm, const std::string& token,
                                      Rotation rotation = Rotation::keep) {
    return run(identity_.sessions().refresh(realm, token, rotation, soon()));
  }
  std::vector<SessionRecord> list(const Realm& realm, const UserId& user) {
    return *run(identity_.sessions().list(realm, user, soon()));
  }
  const UserId ann_{"user_ann"};
  const UserId bob_{"user_bob"};
};

TEST_F(SessionsTest, TheTokenItselfIsNowhere) {
  const auto opened = open(shop(), ann_);
  EXPECT_EQ(fromBase64Url(opened.refreshToken)->size(), 32U);
  const auto stored = store_.all({kShop, kSessions, 0});
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(doc::toJson(stored[0]).find(opened.refreshToken), std::string::npos);
  EXPECT_EQ(list(shop(), ann_)[0].userAgent, "a browser");
}

TEST_F(SessionsTest, RefreshesInItsOwnRealmOnly) {
  const auto opened = open(shop(), ann_);
  EXPECT_EQ(refresh(shop(), opened.refreshToken)->session.userId, ann_);
  EXPECT_EQ(codeOf(refresh(other(), opened.refreshToken)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(refresh(Realm::platform(), opened.refreshToken)), "UNAUTHENTICATED");
  for (const std::string& bad :
       {std::string(), std::string("x"), std::string(1 << 20, 'x'), opened.refreshToken + "x"}) {
    EXPECT_EQ(codeOf(refresh(shop(), bad)), "UNAUTHENTICATED");
  }
}

TEST_F(SessionsTest, SlidesAtMostOnceAMinute) {
  const auto opened = open(shop(), ann_);
  clock_.advance(59'000);
  const size_t writes = store_.writes();
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  EXPECT_EQ(store_.writes(), writes);
  clock_.advance(1000);
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  EXPECT_EQ(store_.writes(), writes + 1);
  EXPECT_EQ(list(shop(), ann_)[0].expiresAt.ms, clock_.now().ms + kSessionMs);
}

TEST_F(SessionsTest, ExpiresThirtyDaysAfterTheLastUse) {
  const auto opened = open(shop(), ann_);
  clock_.advance(kSessionMs - 1);
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  clock_.advance(kSessionMs - 1);
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  clock_.advance(kSessionMs);
  EXPECT_EQ(codeOf(refresh(shop(), opened.refreshToken)), "UNAUTHENTICATED");
  EXPECT_TRUE(list(shop(), ann_).empty());
}

TEST_F(SessionsTest, RefreshingMovesNoEpoch) {
  const auto opened = open(shop(), ann_);
  clock_.advance(60'000);
  const uint64_t epoch = store_.epoch(kShop);
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  EXPECT_EQ(store_.epoch(kShop), epoch);
}

TEST_F(SessionsTest, RotationGivesANewTokenToExactlyOne) {
  const auto opened = open(shop(), ann_);
  std::vector<std::promise<Result<Sessions::Refreshed>>> promises(10);
  std::vector<std::future<Result<Sessions::Refreshed>>> tries;
  for (size_t i = 0; i < promises.size(); ++i) {
    tries.push_back(promises[i].get_future());
    asio::co_spawn(cores_.at(static_cast<int>(i % 2)).get_executor(),
                   identity_.sessions().refresh(shop(), opened.refreshToken, Rotation::rotate, soon()),
                   [&promises, i](std::exception_ptr, Result<Sessions::Refreshed> result) {
                     promises[i].set_value(std::move(result));
                   });
  }
  std::vector<std::string> given;
  for (auto& attempt : tries) {
    const auto result = attempt.get();
    if (result) given.push_back(result->refreshToken);
  }
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(codeOf(refresh(shop(), opened.refreshToken, Rotation::rotate)), "UNAUTHENTICATED");
  EXPECT_TRUE(refresh(shop(), given[0], Rotation::rotate));
}

TEST_F(SessionsTest, LogoutEndsItAndNeverFails) {
  const auto opened = open(shop(), ann_);
  const uint64_t epoch = store_.epoch(kShop);
  EXPECT_TRUE(run(identity_.sessions().close(shop(), opened.refreshToken, soon())));
  EXPECT_GT(store_.epoch(kShop), epoch);
  EXPECT_TRUE(run(identity_.sessions().close(shop(), opened.refreshToken, soon())));
  EXPECT_TRUE(run(identity_.sessions().close(shop(), "", soon())));
  EXPECT_EQ(codeOf(refresh(shop(), opened.refreshToken)), "UNAUTHENTICATED");
}

TEST_F(SessionsTest, OnlyYourOwnCanBeRevoked) {
  const auto opened = open(shop(), ann_);
  const SessionId id = opened.session.id;
  EXPECT_EQ(codeOf(run(identity_.sessions().revoke(shop(), bob_, id, soon()))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(identity_.sessions().revoke(other(), ann_, id, soon()))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(identity_.sessions().revoke(shop(), ann_, SessionId("sess_x"), soon()))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(identity_.sessions().revoke(shop(), ann_, SessionId(std::string("a\0b", 3)), soon()))),
            "NOT_FOUND");
  EXPECT_TRUE(refresh(shop(), opened.refreshToken));
  EXPECT_TRUE(run(identity_.sessions().revoke(shop(), ann_, id, soon())));
  EXPECT_EQ(codeOf(run(identity_.sessions().revoke(shop(), ann_, id, soon()))), "NOT_FOUND");
}

TEST_F(SessionsTest, PastAHundredTheLongestUnusedGoes) {
  const auto oldest = open(shop(), ann_);
  clock_.advance(1000);
  const auto second = open(shop(), ann_);
  for (int i = 2; i < 100; ++i) {
    clock_.advance(1000);
    open(shop(), ann_);
  }
  ASSERT_TRUE(refresh(shop(), oldest.refreshToken));  // now the youngest use
  EXPECT_EQ(list(shop(), ann_).size(), 100U);
  const uint64_t epoch = store_.epoch(kShop);
  clock_.advance(1000);
  open(shop(), ann_);
  EXPECT_EQ(list(shop(), ann_).size(), 100U);
  EXPECT_GT(store_.epoch(kShop), epoch);
  EXPECT_TRUE(refresh(shop(), oldest.refreshToken));
  EXPECT_EQ(codeOf(refresh(shop(), second.refreshToken)), "UNAUTHENTICATED");
}

TEST_F(SessionsTest, ExpiredOnesAreSweptAtTheNextLogin) {
  for (int i = 0; i < 3; ++i) open(shop(), ann_);
  open(shop(), bob_);
  clock_.advance(kSessionMs);
  open(shop(), ann_);
  EXPECT_EQ(store_.all({kShop, kSessions, 0}).size(), 2U);
}

TEST_F(SessionsTest, WhatAClientSaysOfItselfIsKeptPrintableAndShort) {
  const auto opened =
      run(identity_.sessions().open(shop(), ann_, {"203.0.113.1", "\xff\xfe\x01" + std::string(5000, 'x')}, soon()));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->session.userAgent, "???" + std::string(509, 'x'));
}

}  // namespace
}  // namespace mb::identity
