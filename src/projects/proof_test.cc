// With a mail service an invite waits until its address is proven.
#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

using mail::LetterKind;
using mail::testing::LetterBox;

class ProofTest : public ProjectsFixture {
 protected:
  ProofTest() : ProjectsFixture(true) {
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
  // In the newest letter of this kind to the address.
  std::string parameter(LetterKind kind, const std::string& email, std::string_view name) {
    std::string found;
    for (const mail::Letter& letter : box_.to(email)) {
      if (letter.kind == kind) found = LetterBox::parameter(letter, name);
    }
    return found;
  }
  Result<> verify(const std::string& email) {
    return run(identity_.links().verify(identity::Realm::platform(),
                                        parameter(LetterKind::verifyAddress, email, "token"), {}, soon()));
  }
  Result<identity::UserRecord> registeredWith(const std::string& email, const std::string& invite) {
    return run(identity_.users().registerUser(identity::Realm::platform(), {email, "a long password", {}, invite},
                                              identity::TakenEmail::refuse, soon()));
  }

  policy::Caller ada_;
  ProjectView project_;
};

TEST_F(ProofTest, VerificationTakesUpTheInvites) {
  EXPECT_EQ(add("eve@example.com"), "pending");
  registered("eve@example.com");
  EXPECT_EQ(statusOf("eve@example.com"), "pending");
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "active");
}

TEST_F(ProofTest, TheLinkOfAnInviteProvesItsAddressAlone) {
  add("eve@example.com");
  add("bob@example.com");
  const std::string token = parameter(LetterKind::projectInvite, "eve@example.com", "invite");
  EXPECT_FALSE(registeredWith("bob@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("bob@example.com"), "pending");
  EXPECT_TRUE(registeredWith("eve@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  EXPECT_EQ(parameter(LetterKind::verifyAddress, "eve@example.com", "token"), "");
}

TEST_F(ProofTest, TheLinkOfAnInviteEnds) {
  add("eve@example.com");
  const std::string token = parameter(LetterKind::projectInvite, "eve@example.com", "invite");
  clock_.advance(kInviteLinkMs);
  EXPECT_FALSE(registeredWith("eve@example.com", token)->emailVerified);
  EXPECT_EQ(statusOf("eve@example.com"), "pending");
}

TEST_F(ProofTest, ANewerInviteEndsTheOlderLinkUnlessItSentNone) {
  add("eve@example.com");
  const std::string first = parameter(LetterKind::projectInvite, "eve@example.com", "invite");
  for (size_t i = 0; i < 2 * kMembershipMails; ++i) add("eve@example.com", "Editor");
  EXPECT_EQ(box_.to("eve@example.com").size(), kMembershipMails);
  const std::string last = parameter(LetterKind::projectInvite, "eve@example.com", "invite");
  ASSERT_NE(first, last);
  EXPECT_TRUE(registeredWith("eve@example.com", last)->emailVerified);
}

TEST_F(ProofTest, AnAccountThatProvedNothingIsInvited) {
  registered("eve@example.com");
  EXPECT_EQ(add("eve@example.com"), "pending");
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "active");
  // Proven, it joins at once, and is told.
  project_ = made(ada_, "Second");
  EXPECT_EQ(add("eve@example.com"), "active");
  EXPECT_EQ(box_.to("eve@example.com").back().kind, LetterKind::membershipGranted);
}

TEST_F(ProofTest, OperatorsProveTheirAddress) {
  EXPECT_EQ(registered("operator@example.com").platformRole, "user");
  ASSERT_TRUE(verify("operator@example.com"));
  const auto user = run(identity_.users().byEmail(identity::Realm::platform(), "operator@example.com"));
  EXPECT_EQ((*user)->platformRole, "super-admin");
}

TEST_F(ProofTest, ACancelledInviteIsNotTakenUp) {
  add("eve@example.com");
  registered("eve@example.com");
  ASSERT_TRUE(run(members_->cancelInvite(by(ada_), project_.id.str(), "eve@example.com")));
  ASSERT_TRUE(verify("eve@example.com"));
  EXPECT_EQ(statusOf("eve@example.com"), "");
}

}  // namespace
}  // namespace mb::projects
