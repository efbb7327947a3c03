#include "identity/authenticator.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class AuthenticatorTest : public IdentityFixture {
 protected:
  Result<Identified> control(const std::string& token) { return run(identity_.authenticator().control(token)); }
  std::string memberToken(const SignedIn& in, const std::string& role = "Owner") {
    return identity_.tokens().mintMember(in.user.id, in.session.session.id, ProjectId("proj_shop"), role, {});
  }
  void join(const UserId& user, std::string role) {
    members_.table.byUser[user.str()] = {"mem_1", std::move(role)};
    store_.bumpEpoch(kShop);
  }
  IssuedApiKey key(std::vector<std::string> scopes, std::optional<Timestamp> expiresAt = std::nullopt) {
    return *run(
        identity_.keys().create(directory_.projects[0], {"a key", std::move(scopes), expiresAt}, admin(), soon()));
  }
};

TEST_F(AuthenticatorTest, AnEndUserWithEverythingOfThem) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const auto who = identify(ann.token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->caller.kind, policy::CallerKind::endUser);
  EXPECT_EQ(who->caller.id, ann.user.id.str());
  EXPECT_EQ(who->caller.sessionId, ann.session.session.id.str());
  EXPECT_EQ(who->caller.project, kShop);
  EXPECT_EQ(who->caller.role, "user");
  EXPECT_TRUE(who->caller.may("data:posts:create"));
  EXPECT_FALSE(who->caller.may("roles:manage"));
  ASSERT_TRUE(who->project);
  EXPECT_EQ(who->project->info().slug, "shop");
  EXPECT_EQ(who->caller.claims.view().stringOr("email"), "ann@example.com");
  EXPECT_EQ(who->caller.claims.view().stringOr("sub"), ann.user.id.str());
}

TEST_F(AuthenticatorTest, ClaimsOfTheProjectAreLive) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const auto patch = [&](std::string_view metadata) {
    UserPatch given;
    given.metadata = *doc::parseJson(metadata);
    ASSERT_TRUE(run(identity_.users().patch(shop(), ann.user.id, given, admin(), soon())));
  };
  const auto claim = [&](std::string_view name) {
    const auto who = identify(ann.token);
    const auto value = who ? who->caller.claims.view().find(name) : std::nullopt;
    std::string text;
    if (value) doc::writeJsonValue(text, *value);
    return text;
  };
  patch(R"({"plan":"pro","teams":["a","b"],"other":1})");
  EXPECT_EQ(claim("plan"), "");
  directory_.projects[0].record = *doc::parseJson(R"({"settings":{"tokenClaims":["plan","teams","level"]}})");
  store_.bumpEpoch(kShop);
  EXPECT_EQ(claim("plan"), R"("pro")");
  EXPECT_EQ(claim("teams"), R"(["a","b"])");
  EXPECT_EQ(claim("level"), "");
  EXPECT_EQ(claim("other"), "");
  patch(R"({"plan":"free"})");
  EXPECT_EQ(claim("plan"), R"("free")");
  EXPECT_EQ(claim("teams"), "");
  EXPECT_EQ(claim("iat"), std::to_string(clock_.now().ms / 1000));
  EXPECT_EQ(claim("exp"), std::to_string(clock_.now().ms / 1000 + kAccessTokenSeconds));
  directory_.projects[0].record = {};
  store_.bumpEpoch(kShop);
  EXPECT_EQ(claim("plan"), "");
}

TEST_F(AuthenticatorTest, TheSecondUseReadsNothing) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  EXPECT_FALSE(isCached(ann.token));
  ASSERT_TRUE(identify(ann.token));
  const size_t reads = store_.reads();
  EXPECT_TRUE(isCached(ann.token));
  ASSERT_TRUE(identify(ann.token));
  EXPECT_EQ(store_.reads(), reads);
  EXPECT_FALSE(isCached(ann.token, 1));
  ASSERT_TRUE(identify(ann.token, 1));
  EXPECT_TRUE(isCached(ann.token, 1));
  EXPECT_FALSE(isCached(ann.token + "x"));
}

TEST_F(AuthenticatorTest, WhatEndsAuthorityEndsTokensInHand) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  ASSERT_TRUE(identify(ann.token));
  ASSERT_TRUE(setStatus(shop(), ann.user.id, UserStatus::blocked));
  EXPECT_FALSE(isCached(ann.token));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
  ASSERT_TRUE(setStatus(shop(), ann.user.id, UserStatus::inactive));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
  ASSERT_TRUE(setStatus(shop(), ann.user.id, UserStatus::active));
  EXPECT_TRUE(identify(ann.token));
  ASSERT_TRUE(run(identity_.sessions().close(shop(), ann.session.refreshToken, soon())));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify(ann.token, 1)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, AnEndedSessionLeavesOtherTokensInTheCache) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const SignedIn bob = signIn(shop(), "bob@example.com");
  const SignedIn eve = signIn(shop(), "eve@example.com");
  const auto again = open(shop(), ann.user.id);
  const std::string second =
      identity_.tokens().mintEndUser(ann.user.id, again.session.id, ProjectId("proj_shop"), "user", {});
  for (const std::string& token : {ann.token, bob.token, eve.token, second}) ASSERT_TRUE(identify(token));
  ASSERT_TRUE(run(identity_.sessions().revoke(shop(), ann.user.id, ann.session.session.id, soon())));
  EXPECT_FALSE(isCached(ann.token));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
  // Two of three at least: sessions may share a counter.
  EXPECT_GE(isCached(bob.token) + isCached(eve.token) + isCached(second), 2);
  for (const std::string& token : {bob.token, eve.token, second}) EXPECT_TRUE(identify(token));
}

TEST_F(AuthenticatorTest, TheControlPlaneSeesAnEndedSessionToo) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  join(dev.user.id, "Owner");
  const std::string token = memberToken(dev);
  ASSERT_TRUE(control(dev.token));
  ASSERT_TRUE(identify(token));
  ASSERT_TRUE(run(identity_.sessions().close(Realm::platform(), dev.session.refreshToken, soon())));
  EXPECT_EQ(codeOf(control(dev.token)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify(token)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, ExpiryBitesInTheCacheToo) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  ASSERT_TRUE(identify(ann.token));
  clock_.advance(kAccessTokenSeconds * 1000);
  EXPECT_FALSE(isCached(ann.token));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
}

// A CallerValidity that is kept for longer than a request holds until one of these changes, whatever is in the cache.
TEST_F(AuthenticatorTest, ACallerValidityHoldsUntilSomethingChanges) {
  const auto holds = [&](const Result<Identified>& who, const Realm& realm) {
    return who && who->validity.holds(identity_.authenticator().authState(realm.project));
  };
  const SignedIn ann = signIn(shop(), "ann@example.com");
  auto who = identify(ann.token);
  EXPECT_TRUE(holds(who, shop()));
  EXPECT_TRUE(holds(identify(ann.token), shop()));  // from the cache
  ASSERT_TRUE(setRole(shop(), ann.user.id, "reader"));
  EXPECT_FALSE(holds(who, shop()));
  who = identify(ann.token);
  EXPECT_TRUE(holds(who, shop()));
  ASSERT_TRUE(run(identity_.sessions().close(shop(), ann.session.refreshToken, soon())));
  EXPECT_FALSE(holds(who, shop()));

  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  join(dev.user.id, "Owner");
  who = identify(memberToken(dev));
  EXPECT_TRUE(holds(who, shop()));
  store_.bumpEpoch(store::kControlProject);
  EXPECT_FALSE(holds(who, shop()));

  const IssuedApiKey brief = key({"read"}, Timestamp{clock_.now().ms + 1000});
  who = identify(brief.key);
  EXPECT_TRUE(holds(who, shop()));
  clock_.advance(1000);
  EXPECT_FALSE(holds(who, shop()));
}

TEST_F(AuthenticatorTest, ARoleChangeHoldsAtOnceWhateverTheTokenSays) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  ASSERT_TRUE(identify(ann.token)->caller.may("data:posts:create"));
  ASSERT_TRUE(setRole(shop(), ann.user.id, "reader"));
  auto who = identify(ann.token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->caller.role, "reader");
  EXPECT_TRUE(who->caller.permissions->list().empty());  // no such role
  ASSERT_TRUE(
      run(identity_.roles().create(kShop, RoleKind::endUser, {"reader", {"data:posts:read"}}, admin(), soon())));
  who = identify(ann.token);
  EXPECT_TRUE(who->caller.may("data:posts:read"));
  EXPECT_FALSE(who->caller.may("data:posts:create"));
}

TEST_F(AuthenticatorTest, PlanesAndProjectsDoNotMix) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  EXPECT_EQ(codeOf(identify(dev.token)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(control(ann.token)), "UNAUTHENTICATED");
  ASSERT_TRUE(control(dev.token));
  EXPECT_EQ(codeOf(identify(dev.token)), "UNAUTHENTICATED");  // with the token cached
  ASSERT_TRUE(identify(ann.token));
  EXPECT_EQ(codeOf(control(ann.token)), "UNAUTHENTICATED");
  // Signed by us, but the user and the session are another project's.
  const std::string elsewhere =
      identity_.tokens().mintEndUser(ann.user.id, ann.session.session.id, ProjectId("proj_other"), "user", {});
  EXPECT_EQ(codeOf(identify(elsewhere)), "UNAUTHENTICATED");
  // A session of another user.
  const SignedIn bob = signIn(shop(), "bob@example.com");
  const std::string borrowed =
      identity_.tokens().mintEndUser(bob.user.id, ann.session.session.id, ProjectId("proj_shop"), "user", {});
  EXPECT_EQ(codeOf(identify(borrowed)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, ARefusalSaysWhichPlaneATokenIsFor) {
  const auto wordsOf = [](const Result<Identified>& who) { return who ? "" : std::string(who.error().message()); };
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  EXPECT_NE(wordsOf(identify(dev.token)).find("one of the control plane"), std::string::npos);
  EXPECT_NE(wordsOf(identify(dev.token)).find("need an end user's or a member's token"), std::string::npos);
  EXPECT_NE(wordsOf(control(ann.token)).find("an end user's token of a project"), std::string::npos);
  EXPECT_NE(wordsOf(control(ann.token)).find("needs a platform user's token"), std::string::npos);
  EXPECT_NE(wordsOf(control(memberToken(dev))).find("a member's token of a project"), std::string::npos);
  const std::string real = key({"read"}).key;
  EXPECT_NE(wordsOf(control(real)).find("an API key of a project"), std::string::npos);
  EXPECT_EQ(wordsOf(control(real)), wordsOf(control(std::string(kKeyPrefix) + "made.up")));
  // The error for an unknown token does not name a plane.
  EXPECT_EQ(wordsOf(control(ann.token + "x")), "this token is not valid here");
  EXPECT_EQ(wordsOf(identify(dev.token + "x")), "this token is not valid here");
}

TEST_F(AuthenticatorTest, AMembersRightsAreThoseOfTheMembership) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  const std::string token = memberToken(dev, "Owner");
  EXPECT_EQ(codeOf(identify(token)), "UNAUTHENTICATED");  // not a member, whatever the token says
  join(dev.user.id, "Viewer");
  auto who = identify(token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->caller.kind, policy::CallerKind::member);
  EXPECT_EQ(who->caller.role, "Viewer");
  EXPECT_TRUE(who->caller.may("collections:read"));
  EXPECT_FALSE(who->caller.may("collections:manage"));
  EXPECT_TRUE(who->caller.claims.empty());
  EXPECT_TRUE(isCached(token));
  join(dev.user.id, "Editor");
  EXPECT_TRUE(identify(token)->caller.may("collections:manage"));
  members_.table.byUser.clear();
  store_.bumpEpoch(kShop);
  EXPECT_FALSE(isCached(token));
  EXPECT_EQ(codeOf(identify(token)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, AMembersTokenEndsWithTheControlSession) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  join(dev.user.id, "Owner");
  const std::string token = memberToken(dev);
  ASSERT_TRUE(identify(token));
  ASSERT_TRUE(control(dev.token));
  ASSERT_TRUE(run(identity_.sessions().close(Realm::platform(), dev.session.refreshToken, soon())));
  EXPECT_FALSE(isCached(token));
  EXPECT_EQ(codeOf(identify(token)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(control(dev.token)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, ABlockedPlatformUserIsOutOnBothPlanes) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  join(dev.user.id, "Owner");
  const std::string token = memberToken(dev);
  ASSERT_TRUE(identify(token));
  ASSERT_TRUE(control(dev.token));
  ASSERT_TRUE(setStatus(Realm::platform(), dev.user.id, UserStatus::blocked));
  EXPECT_EQ(codeOf(identify(token)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(control(dev.token)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, KeysHoldWhatTheirScopesGrant) {
  const IssuedApiKey issued = key({"read"});
  const auto who = identify(issued.key);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->caller.kind, policy::CallerKind::apiKey);
  EXPECT_EQ(who->caller.id, issued.apiKey.id.str());
  EXPECT_EQ(who->caller.role, "apikey");
  EXPECT_EQ(who->caller.scopes, std::vector<std::string>{"read"});
  EXPECT_TRUE(who->caller.may("data:posts:read"));
  EXPECT_FALSE(who->caller.may("data:posts:create"));
  EXPECT_TRUE(who->caller.claims.empty());
  EXPECT_TRUE(isCached(issued.key));
}

TEST_F(AuthenticatorTest, WrongKeysAreRefused) {
  const IssuedApiKey issued = key({"admin"});
  const std::string secret = issued.key.substr(issued.key.find('.') + 1);
  EXPECT_EQ(codeOf(identify("mb_sk_proj_shop." + std::string(43, 'A'))), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify("mb_sk_proj_other." + secret)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify("mb_sk_proj_nowhere." + secret)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify("mb_sk_shop." + secret)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(identify("mb_sk_")), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(control(issued.key)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, RotatedRevokedAndExpiredKeysEndAtOnce) {
  const IssuedApiKey issued = key({"read"});
  ASSERT_TRUE(identify(issued.key));
  const auto rotated = run(identity_.keys().rotate(directory_.projects[0], issued.apiKey.id, admin(), soon()));
  ASSERT_TRUE(rotated);
  EXPECT_FALSE(isCached(issued.key));
  EXPECT_EQ(codeOf(identify(issued.key)), "UNAUTHENTICATED");
  ASSERT_TRUE(identify(rotated->key));
  ASSERT_TRUE(run(identity_.keys().remove(kShop, issued.apiKey.id, admin(), soon())));
  EXPECT_EQ(codeOf(identify(rotated->key)), "UNAUTHENTICATED");

  const IssuedApiKey brief = key({"read"}, Timestamp{clock_.now().ms + 5000});
  ASSERT_TRUE(identify(brief.key));
  clock_.advance(5000);
  EXPECT_FALSE(isCached(brief.key));
  EXPECT_EQ(codeOf(identify(brief.key)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, AKeysUseIsNotedOnceAMinute) {
  const IssuedApiKey issued = key({"read"});
  ASSERT_TRUE(identify(issued.key));
  ASSERT_TRUE(identify(issued.key));
  const auto lastUsed = [&] { return run(identity_.keys().list(kShop))->front().lastUsedAt.value; };
  EXPECT_EQ(lastUsed(), clock_.now());
  clock_.advance(59'999);
  EXPECT_TRUE(isCached(issued.key));
  clock_.advance(1);
  EXPECT_FALSE(isCached(issued.key));
  ASSERT_TRUE(identify(issued.key));
  EXPECT_EQ(lastUsed(), clock_.now());
}

TEST_F(AuthenticatorTest, SuspendedAndDeletedProjects) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  const IssuedApiKey issued = key({"read"});
  ASSERT_TRUE(identify(ann.token));
  ASSERT_TRUE(identify(issued.key));
  directory_.projects[0].status = snapshot::ProjectStatus::suspended;
  store_.bumpEpoch(kShop);
  EXPECT_EQ(codeOf(identify(ann.token)), "PROJECT_SUSPENDED");
  EXPECT_EQ(codeOf(identify(issued.key)), "PROJECT_SUSPENDED");
  EXPECT_FALSE(isCached(ann.token));
  directory_.projects[0].status = snapshot::ProjectStatus::active;
  store_.bumpEpoch(kShop);
  EXPECT_TRUE(identify(ann.token));
  directory_.projects.erase(directory_.projects.begin());
  store_.bumpEpoch(kShop);
  EXPECT_EQ(codeOf(identify(ann.token)), "NOT_FOUND");
  // The error for a key does not show which projects exist.
  EXPECT_EQ(codeOf(identify(issued.key)), "UNAUTHENTICATED");
}

TEST_F(AuthenticatorTest, SuperAdminsAreKnownOnTheControlPlane) {
  const SignedIn dev = signIn(Realm::platform(), "dev@example.com");
  const auto who = control(dev.token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->caller.kind, policy::CallerKind::platform);
  EXPECT_FALSE(who->caller.superAdmin);
  EXPECT_EQ(who->project, nullptr);
}

TEST_F(AuthenticatorTest, AFailingStoreAdmitsNoCaller) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  ASSERT_TRUE(identify(ann.token));
  store_.bumpEpoch(kShop);
  store_.failWith(ErrorCode::unavailable);
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAVAILABLE");
  store_.failWith(std::nullopt);
  EXPECT_TRUE(identify(ann.token));
}

// Another start over the same store uses the same key; under another secret it does not start.
TEST_F(AuthenticatorTest, SigningKeysOutliveTheProcess) {
  const std::string token = identity_.tokens().mintControl(UserId("user_1"), SessionId("sess_1"));
  snapshot::Snapshots snapshots(store_, cores_, 10);
  variables::Variables variables({store_, snapshots, clock_, auditor_, master_});
  Identity again(
      {store_, snapshots, cores_, ids_, clock_, auditor_, master_, box_.mailer(), "https://api.example.com", variables},
      {});
  ASSERT_TRUE(run(again.start()));
  EXPECT_TRUE(again.tokens().verify(token));
  EXPECT_EQ(store_.all({store::kControlProject, kSigningKeys, 0}).size(), 1U);

  const MasterSecret otherSecret{Secret(std::string(32, 'z'))};
  Identity wrong({store_, snapshots, cores_, ids_, clock_, auditor_, otherSecret, box_.mailer(),
                  "https://api.example.com", variables},
                 {});
  EXPECT_EQ(codeOf(run(wrong.start())), "INTERNAL");
}

}  // namespace
}  // namespace mb::identity
