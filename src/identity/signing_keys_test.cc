#include "identity/signing_keys.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class SigningKeysTest : public IdentityFixture {
 protected:
  Result<std::vector<SigningKeyView>> rotate(OldKeys old = OldKeys::keep) {
    return run(identity_.signingKeys().rotate(old, {"server", "", std::nullopt}, soon()));
  }
  std::string token() { return identity_.tokens().mintControl(UserId("user_1"), SessionId("sess_1")); }
  bool verifies(const std::string& token) { return bool{identity_.tokens().verify(token)}; }
  static std::string headOf(const std::string& token) { return *fromBase64Url(token.substr(0, token.find('.'))); }
  std::vector<doc::Document> stored() { return store_.all({store::kControlProject, kSigningKeys, 0}); }
  size_t published() { return identity_.tokens().jwks().view().find("keys")->asDocument().count(); }
  std::string signer() { return run(identity_.signingKeys().list())->front().id; }
};

TEST_F(SigningKeysTest, ANewKeySignsAtOnceAndTheOldOneVerifiesToTheEndOfItsTokens) {
  const std::string before = token();
  const auto keys = rotate();
  ASSERT_TRUE(keys);
  ASSERT_EQ(keys->size(), 2U);
  EXPECT_TRUE((*keys)[0].signs);
  EXPECT_FALSE((*keys)[0].verifiesUntil.value);
  EXPECT_FALSE((*keys)[1].signs);
  EXPECT_EQ((*keys)[1].verifiesUntil.value->ms, clock_.now().ms + kRetiredKeyMs);
  EXPECT_NE(headOf(before).find((*keys)[1].id), std::string::npos);
  EXPECT_NE(headOf(token()).find((*keys)[0].id), std::string::npos);
  EXPECT_TRUE(verifies(before));
  EXPECT_TRUE(verifies(token()));
  EXPECT_EQ(published(), 2U);

  clock_.advance(kRetiredKeyMs);
  EXPECT_FALSE(verifies(before));
  EXPECT_EQ(published(), 1U);
  EXPECT_EQ(run(identity_.signingKeys().list())->size(), 1U);
  // The next rotation removes expired keys.
  ASSERT_TRUE(rotate());
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(SigningKeysTest, ThePrivateHalfOfARetiredKeyIsRemoved) {
  ASSERT_TRUE(rotate());
  size_t sealed = 0;
  for (const doc::Document& key : stored()) {
    if (key.view().find("sealedPem")) ++sealed;
    EXPECT_EQ(bool{key.view().find("sealedPem")}, !key.view().find("verifiesUntil"));
    EXPECT_EQ(doc::toJson(key).find("PRIVATE"), std::string::npos);
  }
  EXPECT_EQ(sealed, 1U);
}

TEST_F(SigningKeysTest, DroppedKeysEndTheirTokens) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  ASSERT_TRUE(identify(ann.token));
  EXPECT_TRUE(isCached(ann.token));
  ASSERT_TRUE(rotate());
  EXPECT_TRUE(identify(ann.token));
  const auto keys = rotate(OldKeys::drop);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->size(), 1U);
  EXPECT_EQ(stored().size(), 1U);
  EXPECT_EQ(published(), 1U);
  // Also where a core has cached the token.
  EXPECT_FALSE(isCached(ann.token));
  EXPECT_EQ(codeOf(identify(ann.token)), "UNAUTHENTICATED");
  const std::string fresh = identity_.tokens().mintEndUser(ann.user.id, ann.session.session.id, shop().id, "user", {});
  EXPECT_TRUE(identify(fresh));
}

TEST_F(SigningKeysTest, TheirNumberIsBounded) {
  for (size_t i = 1; i < kMaxSigningKeys; ++i) {
    ASSERT_TRUE(rotate()) << i;
    clock_.advance(1000);
  }
  EXPECT_EQ(published(), kMaxSigningKeys);
  const std::string kept = signer();
  const auto refused = rotate();
  EXPECT_EQ(codeOf(refused), "CONFLICT");
  EXPECT_NE(refused.error().message().find("10 keys"), std::string::npos);
  EXPECT_EQ(signer(), kept);
  // Once the first of them has expired, another rotation is allowed.
  clock_.advance(kRetiredKeyMs - 9000);
  EXPECT_TRUE(rotate());
  EXPECT_EQ(stored().size(), kMaxSigningKeys);
}

TEST_F(SigningKeysTest, OfParallelRotationsEachCountsOnce) {
  std::vector<Task<std::vector<SigningKeyView>>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(identity_.signingKeys().rotate(OldKeys::keep, {"server", "", std::nullopt}, soon()));
  }
  size_t done = 0;
  for (const auto& result : runAll(std::move(tasks))) {
    if (result) {
      ++done;
    } else {
      EXPECT_EQ(codeOf(result), "CONFLICT");
    }
  }
  EXPECT_GE(done, 1U);
  EXPECT_EQ(stored().size(), done + 1);
  size_t signing = 0;
  for (const auto& key : *run(identity_.signingKeys().list())) signing += key.signs ? 1 : 0;
  EXPECT_EQ(signing, 1U);
  EXPECT_NE(headOf(token()).find(signer()), std::string::npos);
}

TEST_F(SigningKeysTest, AnotherInstanceLearnsByTheEpoch) {
  snapshot::Snapshots snapshots(store_, cores_, 10);
  variables::Variables variables({store_, snapshots, clock_, auditor_, master_});
  Identity other(
      {store_, snapshots, cores_, ids_, clock_, auditor_, master_, box_.mailer(), "https://api.example.com", variables},
      {});
  ASSERT_TRUE(run(other.start()));
  TaskGroup tasks;
  other.signingKeys().start(cores_.at(1).get_executor(), tasks);
  ASSERT_TRUE(rotate());
  const std::string fresh = token();
  for (int i = 0; i < 400 && !other.tokens().verify(fresh); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(other.tokens().verify(fresh));
  EXPECT_EQ(headOf(other.tokens().mintControl(UserId("user_1"), SessionId("sess_1"))), headOf(fresh));
  // Expired keys are removed from the store too.
  clock_.advance(kRetiredKeyMs);
  for (int i = 0; i < 400 && stored().size() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(stored().size(), 1U);
  other.signingKeys().stop();
  EXPECT_TRUE(tasks.closeAndWait(std::chrono::seconds(5)));
  other.stop();
}

TEST_F(SigningKeysTest, AProcessThatCannotOpenTheKeysAddsNone) {
  const MasterSecret foreign{Secret(std::string(32, 'z'))};
  Tokens tokens("", clock_);
  SigningKeys keys({store_, clock_, auditor_, foreign}, tokens);
  EXPECT_EQ(codeOf(run(keys.rotate(OldKeys::keep, {"server", "", std::nullopt}, soon()))), "INTERNAL");
  EXPECT_EQ(stored().size(), 1U);
  EXPECT_EQ(*run(fitOf(store_, &foreign)), SecretFit::wrong);
  EXPECT_EQ(*run(fitOf(store_, &master_)), SecretFit::right);
  EXPECT_EQ(*run(fitOf(store_, nullptr)), SecretFit::wrong);
}

TEST_F(SigningKeysTest, RotationsAreAudited) {
  ASSERT_TRUE(rotate());
  const auto entries = store_.all({store::kControlProject, audit::kAuditCollection, 0});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].view().stringOr("action"), "signingKey.rotate");
  EXPECT_EQ(entries[0].view().stringOr("target"), "signing-keys/" + signer());
}

}  // namespace
}  // namespace mb::identity
