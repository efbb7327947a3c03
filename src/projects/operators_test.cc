#include "projects/operators.h"

#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

using Strings = std::vector<std::string>;
using mail::MailTemplate;
using mail::testing::MailBox;

class OperatorsTest : public ProjectsFixture {
 protected:
  explicit OperatorsTest(bool mail = false) : ProjectsFixture(mail) { ada_ = person("ada@example.com"); }

  std::string adding(const policy::Caller& caller, const std::string& email) {
    const auto added = run(operators_->add(by(caller), {email}));
    return added ? added->status : codeOf(added);
  }
  std::string revoking(const std::string& email) { return codeOf(run(operators_->revoke(by(ada_), email))); }
  Strings listed() {
    Strings out;
    const auto all = run(operators_->list(by(ada_)));
    for (const auto& one : *all) out.push_back(one.email + " " + one.status + (one.userId.value ? "" : " nobody"));
    return out;
  }
  std::string roleOf(const std::string& email) {
    const auto user = run(identity_.users().byEmail(identity::Realm::platform(), email));
    return (*user)->platformRole.value_or("");
  }
  Strings recorded() const {
    Strings out = auditActions(store::kControlProject);
    std::erase_if(out, [](const std::string& action) { return !action.starts_with("operator."); });
    return out;
  }

  policy::Caller ada_;
};

TEST_F(OperatorsTest, AnInviteWaitsForItsAddress) {
  EXPECT_EQ(listed(), (Strings{"ada@example.com active", "operator@example.com pending nobody"}));
  EXPECT_EQ(adding(ada_, " New@Example.com "), "pending");
  EXPECT_EQ(adding(ada_, "new@example.com"), "pending");
  EXPECT_EQ(listed(), (Strings{"ada@example.com active", "new@example.com pending nobody",
                               "operator@example.com pending nobody"}));
  EXPECT_EQ(registered("NEW@example.com").platformRole, "super-admin");
  EXPECT_EQ(listed(),
            (Strings{"ada@example.com active", "NEW@example.com active", "operator@example.com pending nobody"}));
  EXPECT_TRUE(store_.all(controlCollection(kOperatorInvites)).empty());
  EXPECT_TRUE(store_.all(controlCollection(kInvitedAddresses)).empty());
  EXPECT_EQ(recorded(), (Strings{"operator.invited", "operator.invited", "operator.added"}));
}

TEST_F(OperatorsTest, AnAccountIsOneAtOnce) {
  const auto bob = person("bob@example.com");
  EXPECT_EQ(adding(ada_, "BOB@example.com"), "active");
  EXPECT_EQ(roleOf("bob@example.com"), "super-admin");
  EXPECT_EQ(adding(ada_, "bob@example.com"), "CONFLICT");
  EXPECT_EQ(adding(ada_, "ada@example.com"), "CONFLICT");
  EXPECT_EQ(recorded(), Strings{"operator.added"});
}

TEST_F(OperatorsTest, OnlyByOperatorsAsTheCommitSeesThem) {
  const auto bob = person("bob@example.com");
  person("cleo@example.com");
  EXPECT_EQ(adding(bob, "new@example.com"), "FORBIDDEN");
  EXPECT_EQ(adding(bob, "cleo@example.com"), "FORBIDDEN");
  EXPECT_EQ(adding(bob, "bob@example.com"), "FORBIDDEN");
  ASSERT_EQ(adding(ada_, "new@example.com"), "pending");
  EXPECT_EQ(codeOf(run(operators_->revoke(by(bob), "new@example.com"))), "FORBIDDEN");
  EXPECT_EQ(listed().size(), 3u);
}

TEST_F(OperatorsTest, AnInviteIsTakenBack) {
  ASSERT_EQ(adding(ada_, "new@example.com"), "pending");
  EXPECT_EQ(revoking("NEW@example.com"), "");
  EXPECT_EQ(revoking("new@example.com"), "NOT_FOUND");
  EXPECT_EQ(revoking("ada@example.com"), "NOT_FOUND");
  EXPECT_EQ(revoking("nonsense"), "NOT_FOUND");
  EXPECT_EQ(revoking(""), "NOT_FOUND");
  EXPECT_EQ(revoking("operator@example.com"), "CONFLICT");
  EXPECT_EQ(registered("new@example.com").platformRole, "user");
  EXPECT_EQ(recorded(), (Strings{"operator.invited", "operator.inviteCancelled"}));
}

TEST_F(OperatorsTest, RefusesBadInput) {
  EXPECT_EQ(adding(ada_, "nonsense"), "VALIDATION");
  const auto bob = registered("bob@example.com");
  ASSERT_TRUE(run(
      identity_.users().setStatus(identity::Realm::platform(), bob.id, identity::UserStatus::blocked, ada_, soon())));
  EXPECT_EQ(adding(ada_, "bob@example.com"), "CONFLICT");
}

TEST_F(OperatorsTest, SeesThePlatformsUsers) {
  person("bob@example.com");
  person("cleo@example.com");
  const auto all = run(operators_->users(by(ada_), 0, 50));
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ(all->at(0).platformRole, "super-admin");
  EXPECT_EQ(all->at(1).email, "bob@example.com");
  EXPECT_EQ(run(operators_->users(by(ada_), 1, 1))->at(0).email, "bob@example.com");
}

// ---- with a mail service

class OperatorsByMail : public OperatorsTest {
 protected:
  OperatorsByMail() : OperatorsTest(true) {}
  std::string parameter(MailTemplate kind, const std::string& email, std::string_view name) {
    std::string found;
    for (const mail::TemplatedMail& templatedMail : box_.to(email)) {
      if (templatedMail.kind == kind) found = MailBox::parameter(templatedMail, name);
    }
    return found;
  }
};

TEST_F(OperatorsByMail, TheLinkProvesTheAddress) {
  ASSERT_EQ(adding(ada_, "new@example.com"), "pending");
  const std::string token = parameter(MailTemplate::operatorInvite, "new@example.com", "invite");
  ASSERT_FALSE(token.empty());
  const auto user =
      run(identity_.users().registerUser(identity::Realm::platform(), {"new@example.com", "a long password", {}, token},
                                         identity::TakenEmail::refuse, soon()));
  EXPECT_TRUE(user->emailVerified);
  EXPECT_EQ(user->platformRole, "super-admin");
}

TEST_F(OperatorsByMail, WithoutTheLinkVerificationDoes) {
  ASSERT_EQ(adding(ada_, "new@example.com"), "pending");
  EXPECT_EQ(registered("new@example.com").platformRole, "user");
  EXPECT_EQ(adding(ada_, "new@example.com"), "pending");
  const uint64_t epoch = store_.epoch(store::kControlProject).value;
  ASSERT_TRUE(run(identity_.links().verify(
      identity::Realm::platform(), parameter(MailTemplate::verifyAddress, "new@example.com", "token"), {}, soon())));
  EXPECT_EQ(roleOf("new@example.com"), "super-admin");
  EXPECT_GT(store_.epoch(store::kControlProject).value, epoch);
}

TEST_F(OperatorsByMail, MailsEndAndTheLastLinkStays) {
  for (size_t i = 0; i < kOperatorMails + 3; ++i) ASSERT_EQ(adding(ada_, "new@example.com"), "pending");
  EXPECT_EQ(box_.to("new@example.com").size(), kOperatorMails);
  const std::string token = parameter(MailTemplate::operatorInvite, "new@example.com", "invite");
  const auto user =
      run(identity_.users().registerUser(identity::Realm::platform(), {"new@example.com", "a long password", {}, token},
                                         identity::TakenEmail::refuse, soon()));
  EXPECT_EQ(user->platformRole, "super-admin");
}

}  // namespace
}  // namespace mb::projects
