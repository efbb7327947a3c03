#include "base/files.h"
#include "projects/instance.h"
#include "projects/operators.h"
#include "projects/projects_fixture.h"

namespace mb::projects {
namespace {

// The user as written with this plan.
Task<identity::UserRecord> writtenWith(store::DocumentStore& store, identity::RegistrationPlan plan,
                                       identity::UserRecord user) {
  store::Write write({.deadline = {}, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const identity::UserChange change = plan.addTo(write);
  co_return co_await store::writeReturning(
      store, std::move(write),
      [change, user](const store::PreImages& before, store::Changes& changes) -> Result<identity::UserRecord> {
        identity::UserRecord record = user;
        RETURN_IF_ERROR(change(record, before, changes));
        return record;
      });
}

class RegistrationTest : public ProjectsFixture {};

TEST_F(RegistrationTest, TheFirstUserIsSuperAdmin) {
  EXPECT_TRUE(run(instance_->setupStatus(true))->needsSetup);
  EXPECT_EQ(registered("first@example.com").platformRole, "super-admin");
  EXPECT_EQ(registered("second@example.com").platformRole, "user");
  EXPECT_FALSE(run(instance_->setupStatus(true))->needsSetup);
}

TEST_F(RegistrationTest, OperatorsAreSuperAdmins) {
  registered("first@example.com");
  EXPECT_EQ(registered("Operator@Example.com").platformRole, "super-admin");
}

TEST_F(RegistrationTest, AUserChangesTheirAccount) {
  const auto ada = person("ada@example.com");
  const auto bob = person("bob@example.com");
  EXPECT_EQ(run(instance_->user(ada.id))->notifyLimits, std::nullopt);
  clock_.advance(1000);
  ASSERT_TRUE(run(instance_->changeUser(by(ada), {})));
  EXPECT_LT(run(instance_->user(ada.id))->updatedAt, clock_.now());
  ASSERT_TRUE(run(instance_->changeUser(by(ada), {false})));
  EXPECT_EQ(run(instance_->user(ada.id))->notifyLimits, false);
  EXPECT_EQ(run(instance_->user(ada.id))->updatedAt, clock_.now());
  EXPECT_EQ(run(instance_->user(bob.id))->notifyLimits, std::nullopt);
  ASSERT_TRUE(run(instance_->changeUser(by(ada), {true})));
  EXPECT_EQ(run(instance_->user(ada.id))->notifyLimits, true);
  policy::Caller deleted = ada;
  deleted.id = "user_00000000000000000000";
  EXPECT_EQ(codeOf(run(instance_->changeUser(by(deleted), {true}))), "UNAUTHENTICATED");
}

TEST_F(RegistrationTest, EachGetsAPersonalOrganization) {
  const auto ada = person("ada@example.com");
  person("bob@example.com");
  const auto accountMemberships = run(projects_->accountMemberships(by(ada)));
  ASSERT_EQ(accountMemberships->organizations.size(), 1u);
  EXPECT_EQ(accountMemberships->organizations.front().name, "ada");
  EXPECT_TRUE(accountMemberships->organizations.front().personal);
  EXPECT_TRUE(accountMemberships->memberships.empty());
}

TEST_F(RegistrationTest, OfParallelFirstOnesExactlyOneIsSuperAdmin) {
  constexpr int kUsers = 8;
  std::vector<std::promise<Result<identity::UserRecord>>> done(kUsers);
  asio::post(cores_.at(0), [&] {
    for (int i = 0; i < kUsers; ++i) {
      asio::co_spawn(
          cores_.at(0).get_executor(),
          identity_.users().registerUser(identity::Realm::platform(), locally("u" + std::to_string(i) + "@example.com"),
                                         identity::TakenEmail::refuse, soon()),
          [&done, i](std::exception_ptr, Result<identity::UserRecord> user) {
            done[static_cast<size_t>(i)].set_value(std::move(user));
          });
    }
  });
  int superAdmins = 0;
  for (auto& promise : done) {
    const auto user = promise.get_future().get();
    ASSERT_TRUE(user);
    superAdmins += user->platformRole == "super-admin" ? 1 : 0;
  }
  EXPECT_EQ(superAdmins, 1);
}

TEST_F(RegistrationTest, AnInviteBetweenPlanAndCommitAsksForANewPlan) {
  const auto ada = person("ada@example.com");
  const std::string id = made(ada).id.str();
  identity::UserRecord user;
  user.id = UserId("user_x");
  user.email = user.emailKey = "new@example.com";
  auto plan = run(registration_->plan(user, {.local = true}));
  ASSERT_TRUE(plan);
  ASSERT_TRUE(run(members_->add(by(ada), id, {"new@example.com", "Viewer"})));
  const auto written = run(writtenWith(store_, *plan, user));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::retry);
}

class SetupCodeTest : public ProjectsFixture {
 protected:
  SetupCodeTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-setup-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    open();
  }
  ~SetupCodeTest() override {
    code_.reset();
    std::filesystem::remove_all(directory_);
  }
  // As at a server start.
  void open() {
    code_.emplace(directory_);
    ASSERT_TRUE(code_->open(*run(instance_->hasFirstUser())));
    registration_.emplace(store_, ids_, clock_, auditor_, box_.mailer(), *code_, settings_);
  }
  bool hasFile() const { return std::filesystem::exists(directory_ / kSetupCodeFile); }
  std::string registering(const std::string& email, std::string setupCode, bool local = false) {
    identity::Registration input = locally(email);
    input.setupCode = std::move(setupCode);
    input.local = local;
    const auto made = run(identity_.users().registerUser(identity::Realm::platform(), std::move(input),
                                                         identity::TakenEmail::refuse, soon()));
    return made ? made->platformRole.value_or("") : codeOf(made);
  }

  std::filesystem::path directory_;
  std::optional<SetupCode> code_;
};

TEST_F(SetupCodeTest, TheFirstUserBringsIt) {
  const std::string code = *code_->text();
  EXPECT_GE(code.size(), 22U);
  for (const std::string& wrong : {std::string(), std::string("x"), code.substr(1), code + "x"}) {
    EXPECT_EQ(registering("first@example.com", wrong), "FORBIDDEN");
  }
  EXPECT_TRUE(run(instance_->setupStatus(false))->setupCodeRequired);
  EXPECT_FALSE(run(instance_->setupStatus(true))->setupCodeRequired);
  EXPECT_TRUE(store_.all(controlCollection(kInstance)).empty());
  EXPECT_EQ(registering("first@example.com", code), "super-admin");
  EXPECT_FALSE(run(instance_->setupStatus(false))->setupCodeRequired);
  // No user after the first needs one, and none makes another super-admin.
  EXPECT_EQ(registering("second@example.com", ""), "user");
  EXPECT_EQ(registering("third@example.com", code), "user");
  code_.reset();  // joins the removal
  EXPECT_FALSE(hasFile());
}

TEST_F(SetupCodeTest, ARefusalNamesTheField) {
  identity::UserRecord user;
  user.email = user.emailKey = "first@example.com";
  const auto without = run(registration_->plan(user, {}));
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().details().front().path, "/setupCode");
  EXPECT_EQ(without.error().details().front().message, "is needed");
  EXPECT_EQ(run(registration_->plan(user, {.setupCode = "x"})).error().details().front().message,
            "is not the set-up code");
}

TEST_F(SetupCodeTest, AProvidersUserHasNone) {
  const auto platform = identity::Realm::platform();
  EXPECT_EQ(codeOf(run(identity_.users().addProven(platform, "first@example.com", {}, soon()))), "FORBIDDEN");
  EXPECT_TRUE(run(identity_.users().addProven(platform, "first@example.com", {}, soon(), true)));
}

TEST_F(SetupCodeTest, OnThisMachineNoneIsNeeded) {
  EXPECT_EQ(registering("first@example.com", "", true), "super-admin");
  code_.reset();
  EXPECT_FALSE(hasFile());
}

TEST_F(SetupCodeTest, StaysTheSameUntilItIsUsed) {
  const std::string code = *code_->text();
  EXPECT_EQ(std::filesystem::status(directory_ / kSetupCodeFile).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  open();
  EXPECT_EQ(code_->text(), code);
  EXPECT_EQ(registering("first@example.com", code), "super-admin");
  open();
  EXPECT_EQ(code_->text(), std::nullopt);
  EXPECT_FALSE(code_->matches(code));
  EXPECT_FALSE(code_->matches(""));
}

TEST_F(SetupCodeTest, WhatACrashLeftIsRemovedAtTheNextStart) {
  const std::string code = *code_->text();
  EXPECT_EQ(registering("first@example.com", code), "super-admin");
  code_.reset();
  ASSERT_TRUE(writeDurably(directory_ / kSetupCodeFile, code + "\n"));
  open();
  EXPECT_FALSE(hasFile());
}

TEST_F(SetupCodeTest, AFileWithoutACodeStopsTheStart) {
  for (const std::string_view text : {"", "\n", "short\n"}) {
    ASSERT_TRUE(writeDurably(directory_ / kSetupCodeFile, text));
    SetupCode broken(directory_);
    const auto opened = broken.open(false);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message().find("remove it"), std::string::npos);
    EXPECT_FALSE(broken.matches(""));
  }
}

// SERVICE_CONTROL_REGISTRATION=invited
class InvitedOnlyTest : public ProjectsFixture {
 protected:
  explicit InvitedOnlyTest(bool mail = false) : ProjectsFixture(mail) {
    settings_.invitedOnly = true;
    registration_.emplace(store_, ids_, clock_, auditor_, box_.mailer(), setupCode_, settings_);
    instance_.emplace(*deps_, settings_);
  }
  std::string registering(const std::string& email, std::optional<std::string> invite = {}) {
    return codeOf(run(identity_.users().registerUser(identity::Realm::platform(), locally(email, std::move(invite)),
                                                     identity::TakenEmail::refuse, soon())));
  }
};

TEST_F(InvitedOnlyTest, TheFirstUserNeedsNoInvitation) {
  EXPECT_TRUE(run(instance_->setupStatus(true))->registrationOpen);
  EXPECT_EQ(registered("first@example.com").platformRole, "super-admin");
  EXPECT_FALSE(run(instance_->setupStatus(true))->registrationOpen);
}

TEST_F(InvitedOnlyTest, OthersAreRefusedWhetherOrNotTheyHaveAnAccount) {
  registered("first@example.com");
  EXPECT_EQ(registering("second@example.com"), "FORBIDDEN");
  EXPECT_EQ(registering("second@example.com", "made.up"), "FORBIDDEN");
  EXPECT_EQ(registering("first@example.com"), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(identity_.users().addProven(identity::Realm::platform(), "second@example.com", {}, soon()))),
            "FORBIDDEN");
}

TEST_F(InvitedOnlyTest, InvitedAddressesRegister) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  ASSERT_TRUE(run(members_->add(by(ada), project.id.str(), {"Guest@example.com", "Viewer"})));
  ASSERT_TRUE(run(operators_->add(by(ada), {"boss@example.com"})));
  EXPECT_EQ(registering("guest@example.com"), "");
  EXPECT_EQ(registering("boss@example.com"), "");
  EXPECT_EQ(registering("operator@example.com"), "");  // named in SERVICE_OPERATORS
  ASSERT_TRUE(run(members_->add(by(ada), project.id.str(), {"eve@example.com", "Viewer"})));
  EXPECT_TRUE(run(identity_.users().addProven(identity::Realm::platform(), "eve@example.com", {}, soon())));
}

TEST_F(InvitedOnlyTest, AnInvitationThatEndedCountsNoMore) {
  const auto ada = person("ada@example.com");
  ASSERT_TRUE(run(operators_->add(by(ada), {"boss@example.com"})));
  ASSERT_TRUE(run(operators_->revoke(by(ada), "boss@example.com")));
  EXPECT_EQ(registering("boss@example.com"), "FORBIDDEN");
  const ProjectView project = made(ada);
  ASSERT_TRUE(run(members_->add(by(ada), project.id.str(), {"guest@example.com", "Viewer"})));
  ASSERT_TRUE(run(projects_->remove(by(ada), project.id.str())));
  EXPECT_EQ(registering("guest@example.com"), "FORBIDDEN");
}

TEST_F(InvitedOnlyTest, WhoPlannedToBeTheFirstAndIsNotIsRefused) {
  identity::UserRecord user;
  user.id = UserId("user_x");
  user.email = user.emailKey = "late@example.com";
  auto plan = run(registration_->plan(user, {.local = true}));
  ASSERT_TRUE(plan);
  registered("first@example.com");
  const auto written = run(writtenWith(store_, *plan, user));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::forbidden);
}

class InvitedOnlyByMail : public InvitedOnlyTest {
 protected:
  InvitedOnlyByMail() : InvitedOnlyTest(true) {}
};

TEST_F(InvitedOnlyByMail, InvitedAddressesRegisterBeforeTheyAreVerified) {
  const auto ada = person("ada@example.com");
  const ProjectView project = made(ada);
  ASSERT_TRUE(run(members_->add(by(ada), project.id.str(), {"guest@example.com", "Viewer"})));
  const auto guest = registered("guest@example.com");
  EXPECT_FALSE(guest.emailVerified);
  EXPECT_EQ(membersOf(ada, project).back(), "guest@example.com Viewer pending");
  EXPECT_EQ(registering("other@example.com"), "FORBIDDEN");
}

}  // namespace
}  // namespace mb::projects
