#include "identity/sessions.h"

#include <boost/asio/co_spawn.hpp>
#include <set>

#include "identity/identity_fixture.h"
#include "identity/refresh_project.h"

namespace mb::identity {
namespace {

class SessionsTest : public IdentityFixture {
 protected:
  Result<Sessions::Refreshed> refresh(const Realm& realm, const std::string& token,
                                      Rotation rotation = Rotation::keep) {
    return run(identity_.sessions().refresh(realm, token, rotation, {"203.0.113.1", "a browser"}, soon()));
  }
  std::vector<SessionRecord> list(const Realm& realm, const UserId& user) {
    return *run(identity_.sessions().list(realm, user, soon()));
  }
  const UserId ann_{"user_ann"};
  const UserId bob_{"user_bob"};
};

TEST_F(SessionsTest, TheTokenItselfIsNowhere) {
  const auto opened = open(shop(), ann_);
  EXPECT_TRUE(opened.refreshToken.starts_with("proj_shop~"));
  EXPECT_EQ(fromBase64Url(opened.refreshToken.substr(opened.refreshToken.find('~') + 1))->size(), 32U);
  const auto stored = store_.all({kShop, kSessions, 0});
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(doc::toJson(stored[0]).find(opened.refreshToken), std::string::npos);
  EXPECT_EQ(list(shop(), ann_)[0].userAgent, "a browser");
}

TEST_F(SessionsTest, TokensSayWhereToLookThemUp) {
  const auto opened = open(shop(), ann_);
  EXPECT_EQ(projectOfRefreshToken(opened.refreshToken), "proj_shop");
  const auto next = refresh(shop(), opened.refreshToken, Rotation::rotate);
  ASSERT_TRUE(next);
  EXPECT_EQ(projectOfRefreshToken(next->refreshToken), "proj_shop");
  EXPECT_TRUE(refresh(shop(), next->refreshToken, Rotation::rotate));
  EXPECT_FALSE(projectOfRefreshToken(open(Realm::platform(), ann_).refreshToken));
  // A token of an earlier version, without a project, stays valid.
  Realm unnamed = shop();
  unnamed.id = {};
  const auto before = open(unnamed, bob_);
  EXPECT_FALSE(projectOfRefreshToken(before.refreshToken));
  EXPECT_EQ(refresh(shop(), before.refreshToken)->session.userId, bob_);
  EXPECT_EQ(codeOf(refresh(shop(), "proj_shop~" + before.refreshToken)), "UNAUTHENTICATED");
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
  const uint64_t epoch = store_.epoch(kShop).value;
  ASSERT_TRUE(refresh(shop(), opened.refreshToken));
  EXPECT_EQ(store_.epoch(kShop).value, epoch);
}

TEST_F(SessionsTest, ParallelRotationsGetTheSameSuccessor) {
  const auto opened = open(shop(), ann_);
  std::vector<std::promise<Result<Sessions::Refreshed>>> promises(10);
  std::vector<std::future<Result<Sessions::Refreshed>>> tries;
  for (size_t i = 0; i < promises.size(); ++i) {
    tries.push_back(promises[i].get_future());
    asio::co_spawn(cores_.at(static_cast<int>(i % 2)).get_executor(),
                   identity_.sessions().refresh(shop(), opened.refreshToken, Rotation::rotate, {}, soon()),
                   [&promises, i](std::exception_ptr, Result<Sessions::Refreshed> result) {
                     promises[i].set_value(std::move(result));
                   });
  }
  std::set<std::string> given;
  for (auto& attempt : tries) {
    const auto result = attempt.get();
    ASSERT_TRUE(result) << result.error().message();
    given.insert(result->refreshToken);
  }
  ASSERT_EQ(given.size(), 1U);
  EXPECT_TRUE(refresh(shop(), *given.begin(), Rotation::rotate));
}

TEST_F(SessionsTest, TheSuccessorOfATokenInACookieIsForNoBody) {
  const auto opened = open(Realm::platform(), ann_);
  EXPECT_FALSE(list(Realm::platform(), ann_)[0].inCookie);
  const ClientInfo browser{.ip = "203.0.113.1", .userAgent = "a browser", .transport = TokenTransport::cookie};
  const auto move = [&] {
    return run(identity_.sessions().refresh(Realm::platform(), opened.refreshToken, Rotation::rotate, browser, soon()));
  };
  const auto moved = move();
  ASSERT_TRUE(moved);
  EXPECT_EQ(list(Realm::platform(), ann_)[0].inCookie, true);
  EXPECT_EQ(move()->refreshToken, moved->refreshToken);
  EXPECT_EQ(codeOf(refresh(Realm::platform(), opened.refreshToken)), "UNAUTHENTICATED");
  EXPECT_TRUE(refresh(Realm::platform(), moved->refreshToken));
  clock_.advance(kRotationGraceMs);
  EXPECT_EQ(codeOf(move()), "UNAUTHENTICATED");
  EXPECT_TRUE(list(Realm::platform(), ann_).empty());
}

TEST_F(SessionsTest, AReplacedTokenEndsTheSession) {
  const auto opened = open(shop(), ann_);
  const std::string first = opened.refreshToken;
  const std::string second = refresh(shop(), first, Rotation::rotate)->refreshToken;
  clock_.advance(kRotationGraceMs - 1);
  EXPECT_EQ(refresh(shop(), first, Rotation::rotate)->refreshToken, second);
  const std::string third = refresh(shop(), second, Rotation::rotate)->refreshToken;
  // No grace for a token that is two generations old.
  const store::Mark watch = identity_.sessions().watch(opened.session.id);
  EXPECT_EQ(codeOf(refresh(shop(), first, Rotation::rotate)), "UNAUTHENTICATED");
  EXPECT_TRUE(watch.changed());
  EXPECT_EQ(codeOf(refresh(shop(), third, Rotation::rotate)), "UNAUTHENTICATED");
  EXPECT_TRUE(list(shop(), ann_).empty());
  const auto audit = store_.all({kShop, audit::kAuditCollection, 0});
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_EQ(audit[0].view().stringOr("action"), "session.reuse");
  EXPECT_EQ(audit[0].view().stringOr("target"), "users/" + ann_.str());
}

TEST_F(SessionsTest, TheGraceEnds) {
  const auto opened = open(shop(), ann_);
  const std::string second = refresh(shop(), opened.refreshToken, Rotation::rotate)->refreshToken;
  clock_.advance(kRotationGraceMs);
  EXPECT_EQ(codeOf(refresh(shop(), opened.refreshToken, Rotation::rotate)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(refresh(shop(), second, Rotation::rotate)), "UNAUTHENTICATED");
}

// A token with a wrong code is not from the server: it must not end a session.
TEST_F(SessionsTest, InventedSuccessorsChangeNothing) {
  const auto opened = open(shop(), ann_);
  const std::string first = opened.refreshToken;
  const std::string second = refresh(shop(), first, Rotation::rotate)->refreshToken;
  std::string otherCode = second;
  otherCode.back() = otherCode.back() == 'A' ? 'B' : 'A';
  for (const std::string& invented : {otherCode, first + ".2.AAAAAAAAAAAAAAAAAAAAAAAA", first + ".1", first + ".-1.x",
                                      first + ".1.", first + "." + std::string(30, '9') + ".x", std::string("a.b.c"),
                                      std::string(5000, '.'), std::string("\0.1.x", 5)}) {
    EXPECT_EQ(codeOf(refresh(shop(), invented, Rotation::rotate)), "UNAUTHENTICATED") << invented;
  }
  EXPECT_TRUE(refresh(shop(), second, Rotation::rotate));
}

// Rotated tokens stay valid after rotation is switched off.
TEST_F(SessionsTest, RotatedTokensOutliveTheSetting) {
  const auto opened = open(shop(), ann_);
  const std::string second = refresh(shop(), opened.refreshToken, Rotation::rotate)->refreshToken;
  const auto kept = refresh(shop(), second, Rotation::keep);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->refreshToken, "");
  EXPECT_TRUE(run(identity_.sessions().close(shop(), second, soon())));
  EXPECT_TRUE(list(shop(), ann_).empty());
}

TEST_F(SessionsTest, AllOthersEndAtOnce) {
  const auto own = open(shop(), ann_);
  const auto second = open(shop(), ann_);
  const auto elsewhere = open(other(), ann_);
  const store::Mark watch = identity_.sessions().watch(second.session.id);
  ASSERT_TRUE(run(identity_.sessions().endAll(shop(), ann_, own.session.id, soon())));
  EXPECT_TRUE(watch.changed());
  EXPECT_EQ(list(shop(), ann_).size(), 1U);
  EXPECT_TRUE(refresh(shop(), own.refreshToken));
  EXPECT_EQ(codeOf(refresh(shop(), second.refreshToken)), "UNAUTHENTICATED");
  EXPECT_TRUE(refresh(other(), elsewhere.refreshToken));
}

TEST_F(SessionsTest, LogoutEndsItAndNeverFails) {
  const auto opened = open(shop(), ann_);
  const uint64_t epoch = store_.epoch(kShop).value;
  const store::Mark watch = identity_.sessions().watch(opened.session.id);
  EXPECT_FALSE(watch.changed());
  EXPECT_TRUE(run(identity_.sessions().close(shop(), opened.refreshToken, soon())));
  EXPECT_TRUE(watch.changed());
  EXPECT_EQ(store_.epoch(kShop).value, epoch);  // no configuration is reloaded
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
  const store::Mark watch = identity_.sessions().watch(id);
  EXPECT_TRUE(run(identity_.sessions().revoke(shop(), ann_, id, soon())));
  EXPECT_TRUE(watch.changed());
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
  const store::Mark watch = identity_.sessions().watch(second.session.id);
  clock_.advance(1000);
  open(shop(), ann_);
  EXPECT_EQ(list(shop(), ann_).size(), 100U);
  EXPECT_TRUE(watch.changed());
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
  const auto opened = run(identity_.sessions().open(shop(), recordOf(ann_),
                                                    {"203.0.113.1", "\xff\xfe\x01" + std::string(5000, 'x')}, soon()));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->session.userAgent, "???" + std::string(509, 'x'));
}

}  // namespace
}  // namespace mb::identity
