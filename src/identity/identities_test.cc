#include "identity/identities.h"

#include <map>

#include "identity/mfa_fixture.h"
#include "identity/provider_client.h"

namespace mb::identity {
namespace {

// A clock that runs `interruption` at its next reading.
class InterruptingClock final : public Clock {
 public:
  Timestamp now() const override {
    if (interruption) std::exchange(interruption, nullptr)();
    return {1'800'000'000'000};
  }
  mutable std::function<void()> interruption;
};

// A hook whose plan a unique index refuses: it adds another user with a taken address.
class RefusedHook final : public RegistrationHook {
 public:
  explicit RefusedHook(UserRecord taken) : taken_(std::move(taken)) { taken_.id = UserId("user_another"); }
  Task<RegistrationPlan> plan(UserRecord, RegistrationClaims) override { co_return RegistrationPlan{}; }
  Task<RegistrationPlan> planProven(UserRecord, std::string) override {
    RegistrationPlan plan;
    plan.addTo = [taken = taken_](store::Write& write) -> UserChange {
      const store::Target another = write.change(targetOf(store::kControlProject, kUsers, taken.id.str()));
      return [another, taken](UserRecord&, const store::PreImages&, store::Changes& changes) -> Result<> {
        changes.put(another, doc::encode(taken));
        return {};
      };
    };
    co_return plan;
  }
  Task<std::optional<std::string>> invitedAddress(std::string) override { co_return std::nullopt; }

 private:
  UserRecord taken_;
};

class IdentitiesTest : public MfaFixture {
 protected:
  static ExternalIdentity known(std::string subject, std::string email, bool verified = true) {
    return {"https://login.example.org", std::move(subject), std::move(email), verified, "Ann Other"};
  }
  Task<std::optional<UserRecord>> coming(Realm realm, ExternalIdentity who, std::string provider = "oidc-home") {
    return identity_.identities().userOf(std::move(realm), std::move(provider), std::move(who), stranger(), soon());
  }
  Result<std::optional<UserRecord>> come(ExternalIdentity who, std::string provider = "oidc-home") {
    return run(coming(shop(), std::move(who), std::move(provider)));
  }
  // The user of the identity; the sign-in must succeed.
  UserRecord in(ExternalIdentity who, std::string provider = "oidc-home") {
    auto user = come(std::move(who), std::move(provider));
    EXPECT_TRUE(user && *user) << codeOf(user);
    return user && *user ? **std::move(user) : UserRecord();
  }
  // A user whose address an admin marked as verified.
  Person verified(const std::string& email) {
    const auto user = run(identity_.users().create(shop(), {email, "correct horse", {}, true}, admin(), soon()));
    EXPECT_TRUE(user);
    return {shop(), user->id, "", {}};
  }
  std::vector<IdentityRecord> list(const UserId& user) {
    return *run(identity_.identities().list(shop(), user, soon()));
  }
  Task<> unlinking(const UserId& user, std::string id) {
    return identity_.identities().unlink(shop(), std::move(id), callerOf({shop(), user, "", {}}), soon());
  }
  std::string unlink(const UserId& user, std::string id) { return codeOf(run(unlinking(user, std::move(id)))); }
  size_t count(store::CollectionNo collection, store::ProjectNo project = kShop) const {
    return store_.all({project, collection, 0}).size();
  }
};

// ---- finding the user

TEST_F(IdentitiesTest, AnUnknownIdentityWithAVerifiedAddressBecomesAUser) {
  const UserRecord ann = in(known("ann-1", " Ann@Example.com"));
  EXPECT_EQ(ann.email, "Ann@Example.com");
  EXPECT_EQ(ann.emailKey, "ann@example.com");
  EXPECT_TRUE(ann.emailVerified);
  EXPECT_TRUE(ann.passwordHash.empty());
  EXPECT_EQ(ann.name.value, "Ann Other");
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com", "")), "INVALID_CREDENTIALS");
  const auto identities = list(ann.id);
  ASSERT_EQ(identities.size(), 1U);
  EXPECT_EQ(identities[0].provider, "oidc-home");
  EXPECT_EQ(identities[0].subject, "ann-1");
  EXPECT_EQ(identities[0].email, "Ann@Example.com");
}

// Once linked, the identity determines the user, not the address.
TEST_F(IdentitiesTest, AKnownIdentityIsItsUserWhateverTheAddressIs) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  const Person bob = verified("bob@example.com");
  for (const ExternalIdentity& later :
       {known("ann-1", "new@example.com"), known("ann-1", "bob@example.com"), known("ann-1", "ann@example.com", false),
        known("ann-1", "", false), known("ann-1", "no address")}) {
    EXPECT_EQ(in(later).id, ann.id) << later.email;
  }
  EXPECT_TRUE(list(bob.id).empty());
  EXPECT_EQ(count(kUsers), 2U);
}

TEST_F(IdentitiesTest, AnUnverifiedAddressLinksNothing) {
  const Person ann = verified("ann@example.com");
  for (const ExternalIdentity& who :
       {known("x", "ann@example.com", false), known("x", "new@example.com", false), known("x", ""),
        known("x", "ann@example.com@evil.example"), known("x", "ann"), known("x", std::string(1000, 'a') + "@b.c"),
        known("x", "ann@example.com\nbcc: all@example.com")}) {
    const auto user = come(who);
    ASSERT_TRUE(user) << codeOf(user);
    EXPECT_FALSE(*user) << who.email;
  }
  EXPECT_TRUE(list(ann.id).empty());
  EXPECT_EQ(count(kUsers), 1U);
  EXPECT_EQ(count(kIdentities), 0U);
}

TEST_F(IdentitiesTest, EachPartOfAnIdentityCounts) {
  struct Case {
    std::string provider, issuer, subject;
  };
  const Case cases[] = {{"oidc-home", "https://a.example", "1"},   {"oidc-work", "https://a.example", "1"},
                        {"oidc-home", "https://b.example", "1"},   {"oidc-home", "https://a.example", "2"},
                        {"oidc-home", "https://a.example", "01"},  {"oidc-home", "https://a.example1", ""},
                        {"oidc-home", "https://a.example", "1:1"}, {"oidc-home", "https://a.example1:1", ""},
                        {"oidc-hom", "ehttps://a.example", "1"}};
  int number = 0;
  for (const auto& [provider, issuer, subject] : cases) {
    in({issuer, subject, "p" + std::to_string(number++) + "@example.com", true, ""}, provider);
  }
  EXPECT_EQ(count(kUsers), std::size(cases));
  EXPECT_EQ(count(kIdentities), std::size(cases));
}

TEST_F(IdentitiesTest, ALinkThatAUniqueIndexRefusesIsNoSignIn) {
  const Realm platform = Realm::platform();
  const UserRecord ann = *registerIn(platform, "ann@example.com");
  RefusedHook hook(*registerIn(platform, "bob@example.com"));
  identity_.setRegistrationHook(hook);
  EXPECT_EQ(codeOf(run(coming(platform, known("ann-1", "ann@example.com")))), "CONFLICT");
  EXPECT_EQ(count(kIdentities, store::kControlProject), 0U);
  EXPECT_FALSE((*run(identity_.users().get(platform, ann.id)))->emailVerified);
}

TEST_F(IdentitiesTest, RealmsAreApart) {
  const UserRecord here = in(known("ann-1", "ann@example.com"));
  const auto there = run(coming(other(), known("ann-1", "ann@example.com")));
  const auto platform = run(coming(Realm::platform(), known("ann-1", "ann@example.com")));
  ASSERT_TRUE(there && *there && platform && *platform);
  EXPECT_NE((*there)->id, here.id);
  EXPECT_EQ((*platform)->platformRole, kDefaultUserRole);
  for (const store::ProjectNo project : {kShop, kOther, store::kControlProject}) {
    EXPECT_EQ(count(kIdentities, project), 1U) << project;
  }
}

TEST_F(IdentitiesTest, ParallelFirstSignInsMakeOneUser) {
  std::vector<Task<std::optional<UserRecord>>> attempts;
  for (int i = 0; i < 20; ++i) attempts.push_back(coming(shop(), known("ann-1", "ann@example.com")));
  std::map<std::string, int> ids;
  for (const auto& result : runAll(std::move(attempts))) {
    ASSERT_TRUE(result && *result) << codeOf(result);
    ++ids[(*result)->id.str()];
  }
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(count(kUsers), 1U);
  EXPECT_EQ(count(kIdentities), 1U);
}

// ---- linking

TEST_F(IdentitiesTest, AVerifiedAccountIsLinkedAndKeepsItsCredentials) {
  Person ann = verified("ann@example.com");
  ASSERT_EQ(enroll(ann), "");
  ASSERT_EQ(activate(ann, totp(ann, -1)), "");
  const auto session = open(shop(), ann.id);
  EXPECT_EQ(in(known("ann-1", "ANN@example.com")).id, ann.id);
  EXPECT_TRUE(login(shop(), "ann@example.com"));
  EXPECT_TRUE(stored(ann).mfaEnabled);
  EXPECT_EQ(verify(ann, totp(ann, 0)), "");
  EXPECT_TRUE(run(identity_.sessions().refresh(shop(), session.refreshToken, Rotation::keep, {}, soon())));
  EXPECT_EQ(list(ann.id).size(), 1U);
}

// The creator of the account may be another person, waiting for the owner of the address to sign in.
TEST_F(IdentitiesTest, AnUnverifiedAccountLosesItsCredentials) {
  Person ann = person("ann@example.com");
  const auto session = open(shop(), ann.id);
  ASSERT_EQ(enroll(ann), "");
  ASSERT_EQ(activate(ann, totp(ann, -1)), "");
  UserPatch patch;
  patch.emailVerified = false;
  ASSERT_TRUE(run(identity_.users().patch(shop(), ann.id, std::move(patch), admin(), soon())));
  const std::string waiting = challenge(ann);
  const auto linked = in(known("ann-1", "ann@example.com"));
  EXPECT_EQ(linked.id, ann.id);
  EXPECT_TRUE(linked.emailVerified);
  EXPECT_FALSE(linked.mfaEnabled);
  EXPECT_FALSE(factorOf(ann));
  EXPECT_EQ(codeOf(login(shop(), "ann@example.com")), "INVALID_CREDENTIALS");
  EXPECT_EQ(verify(shop(), waiting, totp(ann, 0)), "UNAUTHENTICATED");
  EXPECT_EQ(codeOf(run(identity_.sessions().refresh(shop(), session.refreshToken, Rotation::keep, {}, soon()))),
            "UNAUTHENTICATED");
}

// A sign-in whose password was checked just before the linking gets no session.
TEST_F(IdentitiesTest, ASignInUnderWayDoesNotOutliveTheLink) {
  unverified(shop(), "ann@example.com");
  const auto before = login(shop(), "ann@example.com");
  ASSERT_TRUE(before);
  in(known("ann-1", "ann@example.com"));
  EXPECT_EQ(codeOf(run(identity_.sessions().open(shop(), *before, {}, soon()))), "UNAUTHENTICATED");
}

TEST_F(IdentitiesTest, AnAddressThatIsNoLongerVerifiedLosesItsIdentities) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  UserPatch patch;
  patch.email = "bob@example.com";
  ASSERT_TRUE(run(identity_.users().patch(shop(), ann.id, std::move(patch), admin(), soon())));
  EXPECT_EQ(in(known("bob-1", "bob@example.com")).id, ann.id);
  const auto left = list(ann.id);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].subject, "bob-1");
}

TEST_F(IdentitiesTest, AUserHasTwentyAtMost) {
  const Person ann = verified("ann@example.com");
  for (size_t i = 0; i < kIdentitiesPerUser; ++i) {
    clock_.advance(1);
    EXPECT_EQ(in(known("ann-" + std::to_string(i), "ann@example.com")).id, ann.id);
  }
  EXPECT_EQ(codeOf(come(known("one more", "ann@example.com"))), "CONFLICT");
  const auto all = list(ann.id);
  ASSERT_EQ(all.size(), kIdentitiesPerUser);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].subject, "ann-" + std::to_string(i));
  ASSERT_EQ(unlink(ann.id, all[7].id), "");
  EXPECT_EQ(in(known("one more", "ann@example.com")).id, ann.id);
}

TEST_F(IdentitiesTest, BlockedUsersAreFoundNotFreed) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  ASSERT_TRUE(setStatus(shop(), ann.id, UserStatus::blocked));
  EXPECT_FALSE(in(known("ann-1", "ann@example.com")).active());
  EXPECT_FALSE(in(known("ann-2", "ann@example.com")).active());
}

TEST_F(IdentitiesTest, LinksAreOnRecord) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  const std::string first = list(ann.id)[0].id;
  in(known("ann-2", "ann@example.com"));
  ASSERT_EQ(unlink(ann.id, first), "");
  std::map<std::string, int> actions;
  for (const auto& entry : store_.all({kShop, audit::kAuditCollection, 0})) {
    if (entry.view().stringOr("target") == "users/" + ann.id.str()) {
      ++actions[std::string(entry.view().stringOr("action"))];
    }
  }
  EXPECT_EQ(actions["identity.link"], 2);
  EXPECT_EQ(actions["identity.unlink"], 1);
}

// ---- unlinking

TEST_F(IdentitiesTest, TheLastWayInStays) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  const std::string first = list(ann.id)[0].id;
  EXPECT_EQ(unlink(ann.id, first), "CONFLICT");
  in(known("ann-2", "ann@example.com"));
  EXPECT_EQ(unlink(ann.id, first), "");
  const auto left = list(ann.id);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].subject, "ann-2");
  EXPECT_EQ(unlink(ann.id, left[0].id), "CONFLICT");
  EXPECT_EQ(in(known("ann-2", "gone@example.com", false)).id, ann.id);
}

TEST_F(IdentitiesTest, APasswordIsAWayIn) {
  const Person ann = verified("ann@example.com");
  in(known("ann-1", "ann@example.com"));
  ASSERT_EQ(unlink(ann.id, list(ann.id)[0].id), "");
  EXPECT_TRUE(list(ann.id).empty());
  // An unlinked identity is unknown again.
  EXPECT_FALSE(*come(known("ann-1", "ann@example.com", false)));
  EXPECT_EQ(in(known("ann-1", "ann@example.com")).id, ann.id);
}

TEST_F(IdentitiesTest, AnotherUsersIdentityCannotBeUnlinked) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  in(known("ann-2", "ann@example.com"));
  const Person bob = verified("bob@example.com");
  const std::string hers = list(ann.id)[0].id;
  for (const std::string& id : {hers, std::string(), std::string("idn_"), std::string(100'000, 'x'), ann.id.str()}) {
    EXPECT_EQ(unlink(bob.id, id), "NOT_FOUND") << id.substr(0, 60);
  }
  EXPECT_EQ(codeOf(run(identity_.identities().unlink(other(), hers, callerOf({other(), ann.id, "", {}}), soon()))),
            "NOT_FOUND");
  EXPECT_EQ(list(ann.id).size(), 2U);
}

TEST_F(IdentitiesTest, ParallelUnlinksLeaveAWayIn) {
  for (int round = 0; round < 20; ++round) {
    const std::string email = "ann" + std::to_string(round) + "@example.com";
    const UserRecord ann = in(known(email + "1", email));
    in(known(email + "2", email));
    const auto both = list(ann.id);
    ASSERT_EQ(both.size(), 2U);
    std::vector<Task<>> attempts;
    for (const IdentityRecord& identity : both) attempts.push_back(unlinking(ann.id, identity.id));
    std::map<std::string, int> outcomes;
    for (const auto& result : runAll(std::move(attempts))) ++outcomes[codeOf(result)];
    EXPECT_EQ(outcomes, (std::map<std::string, int>{{"", 1}, {"CONFLICT", 1}}));
    EXPECT_EQ(list(ann.id).size(), 1U);
  }
}

// The state in the commit counts, not the state that was read: the time of the audit entry is read in between.
TEST_F(IdentitiesTest, AnUnlinkInBetweenIsSeen) {
  const UserRecord ann = in(known("ann-1", "ann@example.com"));
  in(known("ann-2", "ann@example.com"));
  const auto both = list(ann.id);
  ASSERT_EQ(both.size(), 2U);
  InterruptingClock clock;
  audit::Auditor auditor(true, ids_, clock);
  const IdentityDeps deps{store_, snapshots_, cores_, ids_, clock_, auditor, master_, box_.mailer(), "", variables_};
  Identities identities(deps, identity_.users(), identity_.sessions());
  clock.interruption = [&] { EXPECT_TRUE(store::testing::runOn(cores_, 1, unlinking(ann.id, both[1].id))); };
  const auto first = run(identities.unlink(shop(), both[0].id, callerOf({shop(), ann.id, "", {}}), soon()));
  EXPECT_FALSE(clock.interruption);
  EXPECT_EQ(codeOf(first), "CONFLICT");
  EXPECT_EQ(list(ann.id).size(), 1U);
}

}  // namespace
}  // namespace mb::identity
