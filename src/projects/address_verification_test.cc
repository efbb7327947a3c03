// With a mail service an invite waits until its address is verified.
#include <algorithm>

#include "identity/records.h"
#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

using mail::MailTemplate;
using mail::testing::MailBox;

class AddressVerificationTest : public ProjectsFixture {
 protected:
  AddressVerificationTest() : ProjectsFixture(true, 2) {
    ada_ = person("ada@example.com");
    project_ = made(ada_);
  }

  std::string add(const std::string& email, const std::string& role = "Viewer") {
    const auto member = run(members_->add(by(ada_), project_.id.str(), {email, role}));
    return member ? member->status : codeOf(member);
  }
  std::string statusOf(const std::string& email) {
    const auto members = run(members_->list(by(ada_), project_.id.str()));
    for (const auto& member : *members) {
      if (member.email == email) return member.status;
    }
    return "";
  }
  // The parameter in the newest mail of this kind to the address.
  std::string parameter(MailTemplate kind, const std::string& email, std::string_view name) {
    std::string found;
    for (const mail::TemplatedMail& templatedMail : box_.to(email)) {
      if (templatedMail.kind == kind) found = MailBox::parameter(templatedMail, name);
    }
    return found;
  }
  Result<> verify(const std::string& email) {
    return run(identity_.links().verify(identity::Realm::platform(),
                                        parameter(MailTemplate::verifyAddress, email, "token"), {}, soon()));
  }
  Result<identity::UserRecord> registeredWith(const std::string& email, const std::string& invite) {
    return run(identity_.users().registerUser(identity::Realm::platform(), {email, "a long password", {}, invite},
                                              identity::TakenEmail::refuse, soon()));
  }

  Result<identity::UserRecord> accepted(const std::string& token, const std::string& password = "a new password") {
    return run(identity_.links().acceptInvite({token, password, "Eve"}, {}, soon()));
  }
  bool passwordFits(const std::string& email, const std::string& password) {
    return run(identity_.users().checkPassword(identity::Realm::platform(), {email, password})).has_value();
  }
  // An account on another user's address, with each kind of credential.
  identity::UserRecord squat(const std::string& email) {
    identity::UserRecord user = registered(email);
    EXPECT_TRUE(run(identity_.sessions().open(identity::Realm::platform(), user, {"203.0.113.9", ""}, soon())));
    user.mfaEnabled = true;
    put(identity::kUsers, doc::encode(user));
    put(identity::kSecondFactors, doc::encode(identity::SecondFactorRecord{
                                      .id = user.id, .secret = {}, .lastStep = 0, .recovery = {}, .createdAt = {}}));
    put(identity::kIdentities,
        doc::encode(identity::IdentityRecord{"idn_" + user.id.str(), user.id, "github", "x", "1", email, {}}));
    return user;
  }
  void put(store::CollectionNo collection, const doc::Document& document) {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    const store::Target place = write.change(target(collection, std::string(document.view().stringOr("id"))));
    const auto putIt = [place, &document](const store::PreImages&, store::Changes& changes) -> Result<> {
      changes.put(place, document);
      return {};
    };
    EXPECT_TRUE(run(store_.write(std::move(write), putIt)));
  }
  void expectNothingLeft(const identity::UserRecord& user) {
    const identity::Realm realm = identity::Realm::platform();
    EXPECT_FALSE(passwordFits(user.email, "a long password"));
    EXPECT_TRUE(run(identity_.sessions().list(realm, user.id, soon()))->empty());
    EXPECT_TRUE(run(identity_.identities().list(realm, user.id, soon()))->empty());
    const auto now = **run(identity_.users().get(realm, user.id));
    EXPECT_FALSE(now.mfaEnabled);
    EXPECT_TRUE(now.emailVerified);
    EXPECT_TRUE(store_.all(controlCollection(identity::kSecondFactors)).empty());
    // A sign-in in progress fails.
    EXPECT_EQ(codeOf(run(identity_.sessions().open(realm, user, {"203.0.113.9", ""}, soon()))), "UNAUTHENTICATED");
  }

  policy::Caller ada_;
  ProjectView project_;
};

TEST_F(AddressVerificationTest, VerificationTakesUpTheInvites) {
  EXPECT_EQ(add("eve@example.com"), "pending");
  registered("eve@example.com");
  EXPECT_EQ(statusOf("eve@example.com"), "pending");
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "active");
}

// As after a change of a member's address to one that was invited.
TEST_F(AddressVerificationTest, VerificationDropsTheInviteOfAMember) {
  add("eve@example.com");
  const identity::UserRecord eve = registered("eve@example.com");
  put(kMemberships, doc::encode(MembershipRecord{ids_.next<MembershipTag>(), project_.id, eve.id, "Viewer", {}}));
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_TRUE(store_.all(controlCollection(kInvites)).empty());
  size_t memberships = 0;
  for (const auto& stored : store_.all(controlCollection(kMemberships))) {
    if (stored.view().stringOr("userId") != eve.id.str()) continue;
    ++memberships;
    EXPECT_EQ(stored.view().stringOr("role"), "Viewer");
  }
  EXPECT_EQ(memberships, 1u);
}

TEST_F(AddressVerificationTest, TheLinkOfAnInviteVerifiesItsAddressAlone) {
  add("eve@example.com");
  add("bob@example.com");
  const std::string token = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  EXPECT_FALSE(registeredWith("bob@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("bob@example.com"), "pending");
  EXPECT_TRUE(registeredWith("eve@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  EXPECT_EQ(parameter(MailTemplate::verifyAddress, "eve@example.com", "token"), "");
}

TEST_F(AddressVerificationTest, InvitesAreMailedAndShownAsGivenAndTakenUpHoweverSpelled) {
  EXPECT_EQ(add("Straße@Bücher.test"), "pending");
  EXPECT_EQ(statusOf("straße@bücher.test"), "pending");
  const std::string token = parameter(MailTemplate::projectInvite, "straße@bücher.test", "invite");
  ASSERT_NE(token, "");
  EXPECT_TRUE(registeredWith("STRASSE@xn--bcher-kva.test", token)->emailVerified);
  EXPECT_EQ(statusOf("STRASSE@xn--bcher-kva.test"), "active");
}

TEST_F(AddressVerificationTest, TheLinkOfAnInviteEnds) {
  add("eve@example.com");
  const std::string token = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  clock_.advance(kInviteLinkMs);
  EXPECT_FALSE(registeredWith("eve@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("eve@example.com"), "pending");
}

TEST_F(AddressVerificationTest, ANewerInviteEndsTheOlderLinkUnlessItSentNone) {
  add("eve@example.com");
  const std::string first = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  for (size_t i = 0; i < 2 * kMembershipMails; ++i) add("eve@example.com", "Editor");
  EXPECT_EQ(box_.to("eve@example.com").size(), kMembershipMails);
  const std::string last = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  ASSERT_NE(first, last);
  EXPECT_TRUE(registeredWith("eve@example.com", last)->emailVerified);
}

TEST_F(AddressVerificationTest, AnUnverifiedAccountIsInvited) {
  registered("eve@example.com");
  EXPECT_EQ(add("eve@example.com"), "pending");
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  // Once verified, the user becomes a member at once and gets a mail.
  project_ = made(ada_, "Second");
  EXPECT_EQ(add("eve@example.com"), "active");
  EXPECT_EQ(box_.to("eve@example.com").back().kind, MailTemplate::membershipGranted);
}

TEST_F(AddressVerificationTest, OperatorsVerifyTheirAddress) {
  EXPECT_EQ(registered("operator@example.com").platformRole, "user");
  ASSERT_TRUE(verify("operator@example.com"));
  const auto user = run(identity_.users().byEmail(identity::Realm::platform(), "operator@example.com"));
  EXPECT_EQ((*user)->platformRole, "super-admin");
}

// ---- accounts that another user may have created

TEST_F(AddressVerificationTest, AcceptingRegistersOnce) {
  add("eve@example.com");
  const std::string token = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  EXPECT_EQ(codeOf(accepted(token, "short")), "VALIDATION");
  const auto user = accepted(token);
  ASSERT_TRUE(user);
  EXPECT_TRUE(user->emailVerified);
  EXPECT_EQ(user->name.value, "Eve");
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  EXPECT_TRUE(passwordFits("eve@example.com", "a new password"));
  EXPECT_EQ(codeOf(accepted(token, "another password")), "VALIDATION");
  EXPECT_TRUE(passwordFits("eve@example.com", "a new password"));
  EXPECT_EQ(parameter(MailTemplate::verifyAddress, "eve@example.com", "token"), "");
}

TEST_F(AddressVerificationTest, AcceptingTakesOverAnUnverifiedAccount) {
  const auto squatted = squat("eve@example.com");
  add("eve@example.com");
  const auto user = accepted(parameter(MailTemplate::projectInvite, "eve@example.com", "invite"));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->id, squatted.id);
  EXPECT_TRUE(passwordFits("eve@example.com", "a new password"));
  expectNothingLeft(squatted);
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  EXPECT_TRUE(std::ranges::count(auditActions(store::kControlProject), "user.inviteAccepted") > 0);
  // The session that the response carries is opened after the others were ended.
  EXPECT_TRUE(run(identity_.admit(identity::Realm::platform(), *user, {"203.0.113.1", ""}, soon()))->opened);
}

TEST_F(AddressVerificationTest, AcceptingTakesOverForOperatorsToo) {
  const auto squatted = squat("eve@example.com");
  ASSERT_TRUE(run(operators_->add(by(ada_), {"eve@example.com"})));
  const auto user = accepted(parameter(MailTemplate::operatorInvite, "eve@example.com", "invite"));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->platformRole, "super-admin");
  expectNothingLeft(squatted);
}

TEST_F(AddressVerificationTest, VerifyingAnInvitedAddressCountsAsFollowingTheInvitation) {
  for (const bool operates : {false, true}) {
    const std::string email = operates ? "operator@example.com" : "eve@example.com";
    const auto squatted = squat(email);
    if (!operates) add(email);  // the other is named in SERVICE_OPERATORS
    ASSERT_TRUE(verify(email));
    expectNothingLeft(squatted);
    EXPECT_FALSE(passwordFits(email, ""));
    const std::string token = parameter(MailTemplate::resetPassword, email, "token");
    ASSERT_NE(token, "");
    ASSERT_TRUE(run(identity_.links().reset(identity::Realm::platform(), {token, "a new password"}, {}, soon())));
    EXPECT_TRUE(passwordFits(email, "a new password"));
  }
  EXPECT_EQ(statusOf("eve@example.com"), "active");
}

TEST_F(AddressVerificationTest, AResetOfAnUnverifiedAccountLeavesNoOtherWayIn) {
  const auto squatted = squat("eve@example.com");
  add("eve@example.com");
  ASSERT_TRUE(run(identity_.links().mailLink(identity::Realm::platform(), identity::LinkPurpose::resetPassword,
                                             "eve@example.com")));
  const std::string token = parameter(MailTemplate::resetPassword, "eve@example.com", "token");
  ASSERT_TRUE(run(identity_.links().reset(identity::Realm::platform(), {token, "a new password"}, {}, soon())));
  expectNothingLeft(squatted);
  EXPECT_EQ(statusOf("eve@example.com"), "active");
}

TEST_F(AddressVerificationTest, WithoutAnInvitationVerifyingKeepsThePassword) {
  const auto user = registered("eve@example.com");
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_TRUE(passwordFits("eve@example.com", "a long password"));
}

TEST_F(AddressVerificationTest, NothingElseIsAccepted) {
  EXPECT_EQ(codeOf(accepted("")), "VALIDATION");
  EXPECT_EQ(codeOf(accepted("mem_x.y")), "VALIDATION");
  EXPECT_EQ(codeOf(accepted("x")), "VALIDATION");
  add("eve@example.com");
  const std::string cancelled = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  EXPECT_EQ(codeOf(accepted(cancelled.substr(0, cancelled.size() - 1))), "VALIDATION");
  ASSERT_TRUE(run(members_->cancelInvite(by(ada_), project_.id.str(), "eve@example.com")));
  EXPECT_EQ(codeOf(accepted(cancelled)), "VALIDATION");
  add("eve@example.com");
  clock_.advance(kInviteLinkMs);
  EXPECT_EQ(codeOf(accepted(parameter(MailTemplate::projectInvite, "eve@example.com", "invite"))), "VALIDATION");
  EXPECT_FALSE(*run(identity_.users().byEmail(identity::Realm::platform(), "eve@example.com")));
}

TEST_F(AddressVerificationTest, AVerifiedAccountIsNotTakenOver) {
  registered("eve@example.com");
  add("eve@example.com");
  const std::string token = parameter(MailTemplate::projectInvite, "eve@example.com", "invite");
  const auto user = *run(identity_.users().byEmail(identity::Realm::platform(), "eve@example.com"));
  identity::UserPatch verified;
  verified.emailVerified = true;
  ASSERT_TRUE(run(identity_.users().patch(identity::Realm::platform(), user->id, std::move(verified), ada_, soon())));
  EXPECT_EQ(codeOf(accepted(token)), "VALIDATION");
  EXPECT_TRUE(passwordFits("eve@example.com", "a long password"));
}

TEST_F(AddressVerificationTest, AnInviteThatIsCancelledMeanwhileIsNotAccepted) {
  for (const bool exists : {false, true}) {
    const std::string email = exists ? "eve@example.com" : "new@example.com";
    if (exists) registered(email);
    add(email);
    const std::string token = parameter(MailTemplate::projectInvite, email, "invite");
    store_.beforeNextWrite([&] {
      EXPECT_TRUE(store::testing::runOn(cores_, 1, members_->cancelInvite(by(ada_), project_.id.str(), email)));
    });
    EXPECT_EQ(codeOf(accepted(token)), "VALIDATION");
    const auto user = *run(identity_.users().byEmail(identity::Realm::platform(), email));
    EXPECT_EQ(user.has_value(), exists);
    if (exists) EXPECT_TRUE(passwordFits(email, "a long password"));
    EXPECT_EQ(statusOf(email), "");
  }
}

TEST_F(AddressVerificationTest, ACancelledInviteIsNotTakenUp) {
  add("eve@example.com");
  registered("eve@example.com");
  ASSERT_TRUE(run(members_->cancelInvite(by(ada_), project_.id.str(), "eve@example.com")));
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "");
}

// A user who pays for a project, and becomes an Owner of it again: the plan of its environments changes.
TEST_F(AddressVerificationTest, EnvironmentsLearnThatTheirPayerIsAnOwnerAgain) {
  const auto staging = environment(ada_, project_, "staging");
  const auto verified = run(identity_.users().addProven(identity::Realm::platform(), "bob@example.com", {}, soon()));
  ASSERT_TRUE(verified);
  const auto bob = callerOf(*verified);
  EXPECT_EQ(add("bob@example.com", "Owner"), "active");
  ASSERT_TRUE(run(members_->remove(by(bob), project_.id.str(), ada_.id)));
  const auto invited = run(members_->add(by(bob), project_.id.str(), {"ada@example.com", "Owner"}));
  ASSERT_TRUE(invited);
  EXPECT_EQ(invited->status, "pending");
  const uint64_t epoch = store_.epoch(numberOf(staging)).value;
  ASSERT_TRUE(verify("ada@example.com"));
  EXPECT_EQ(recordOf(project_.id).owners, (std::vector<std::string>{bob.id, ada_.id}));
  EXPECT_GT(store_.epoch(numberOf(staging)).value, epoch);
}

}  // namespace
}  // namespace mb::projects
