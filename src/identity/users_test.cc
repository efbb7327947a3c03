#include "identity/users.h"

#include <boost/asio/co_spawn.hpp>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class UsersTest : public IdentityFixture {
 protected:
  std::vector<doc::Document> stored(const Realm& realm) const { return store_.all({realm.project, kUsers, 0}); }
};

TEST_F(UsersTest, RegistersAndLogsIn) {
  const auto user = registerIn(shop(), "  Ann@Example.com ");
  ASSERT_TRUE(user);
  EXPECT_TRUE(user->id.str().starts_with("user_"));
  EXPECT_EQ(user->email, "Ann@Example.com");
  EXPECT_EQ(user->status, "active");
  EXPECT_FALSE(user->platformRole);
  EXPECT_EQ(roleOf(*user), "user");
  const auto in = login(shop(), "ann@EXAMPLE.com");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->id, user->id);
}

TEST_F(UsersTest, NothingOfThePasswordIsShownOrStored) {
  const auto user = registerIn(shop(), "a@example.com");
  const std::string shown = doc::toJson(doc::encode(viewOf(*user)));
  EXPECT_EQ(shown.find("assword"), std::string::npos);
  EXPECT_EQ(shown.find("argon2"), std::string::npos);
  EXPECT_EQ(doc::toJson(stored(shop()).front()).find("correct horse"), std::string::npos);
}

TEST_F(UsersTest, PlatformUsersHaveARoleAndAPlan) {
  const auto user = registerIn(Realm::platform(), "a@example.com");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->platformRole, "user");
  EXPECT_EQ(user->plan, "free");
}

TEST_F(UsersTest, AnAddressIsUniqueInItsRealmWhateverItsCase) {
  ASSERT_TRUE(registerIn(shop(), "a@example.com"));
  EXPECT_EQ(codeOf(registerIn(shop(), "A@EXAMPLE.COM")), "EMAIL_TAKEN");
  EXPECT_TRUE(registerIn(other(), "a@example.com"));
  EXPECT_TRUE(registerIn(Realm::platform(), "a@example.com"));
}

TEST_F(UsersTest, HiddenTakenAddressesLookNewAndChangeNothing) {
  const auto first = registerIn(shop(), "a@example.com");
  const auto second = registerIn(shop(), "a@example.com", "another horse", TakenEmail::hide);
  ASSERT_TRUE(second);
  EXPECT_NE(second->id, first->id);
  EXPECT_EQ(second->status, "active");
  EXPECT_EQ(stored(shop()).size(), 1U);
  EXPECT_EQ(codeOf(login(shop(), "a@example.com", "another horse")), "INVALID_CREDENTIALS");
  EXPECT_TRUE(login(shop(), "a@example.com"));
}

TEST_F(UsersTest, OfParallelRegistrationsOfOneAddressOneWins) {
  std::vector<std::future<Result<UserRecord>>> tries;
  std::vector<std::promise<Result<UserRecord>>> promises(8);
  for (size_t i = 0; i < promises.size(); ++i) {
    tries.push_back(promises[i].get_future());
    asio::co_spawn(
        cores_.at(static_cast<int>(i % 2)).get_executor(),
        identity_.users().registerUser(shop(), {"a@example.com", "correct horse", {}}, TakenEmail::refuse, soon()),
        [&promises, i](std::exception_ptr, Result<UserRecord> result) { promises[i].set_value(std::move(result)); });
  }
  int won = 0;
  for (auto& attempt : tries) {
    const auto result = attempt.get();
    won += result ? 1 : 0;
    if (!result) EXPECT_EQ(codeOf(result), "EMAIL_TAKEN");
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(stored(shop()).size(), 1U);
}

TEST_F(UsersTest, RefusesBadInput) {
  EXPECT_EQ(codeOf(registerIn(shop(), "nobody")), "VALIDATION");
  EXPECT_EQ(codeOf(registerIn(shop(), "a@example.com", "short")), "VALIDATION");
  EXPECT_EQ(codeOf(registerIn(shop(), "a@example.com", "a@example.com")), "VALIDATION");
  EXPECT_EQ(codeOf(run(identity_.users().registerUser(shop(), {"a@example.com", "correct horse", std::string(201, 'n')},
                                                      TakenEmail::refuse, soon()))),
            "VALIDATION");
  EXPECT_TRUE(stored(shop()).empty());
}

TEST_F(UsersTest, UnknownAddressesAndWrongPasswordsGetTheSameResponse) {
  ASSERT_TRUE(registerIn(shop(), "a@example.com"));
  const auto wrong = login(shop(), "a@example.com", "wrong horse");
  const auto unknown = login(shop(), "b@example.com", "wrong horse");
  ASSERT_FALSE(wrong);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(errorBody(wrong.error()), errorBody(unknown.error()));
  EXPECT_EQ(codeOf(wrong), "INVALID_CREDENTIALS");
  EXPECT_EQ(codeOf(login(other(), "a@example.com")), "INVALID_CREDENTIALS");
  EXPECT_EQ(codeOf(login(shop(), std::string(1 << 20, 'x'), std::string(1 << 20, 'y'))), "INVALID_CREDENTIALS");
}

TEST_F(UsersTest, StatusIsReportedOnlyAfterTheRightPassword) {
  const auto user = registerIn(shop(), "a@example.com");
  ASSERT_TRUE(setStatus(shop(), user->id, UserStatus::blocked));
  EXPECT_EQ(codeOf(login(shop(), "a@example.com", "wrong horse")), "INVALID_CREDENTIALS");
  EXPECT_EQ(codeOf(login(shop(), "a@example.com")), "USER_BLOCKED");
  ASSERT_TRUE(setStatus(shop(), user->id, UserStatus::inactive));
  EXPECT_EQ(codeOf(login(shop(), "a@example.com")), "USER_INACTIVE");
  ASSERT_TRUE(setStatus(shop(), user->id, UserStatus::active));
  EXPECT_TRUE(login(shop(), "a@example.com"));
}

TEST_F(UsersTest, GuessingOneAccountEndsKnownOrNot) {
  ASSERT_TRUE(registerIn(shop(), "a@example.com"));
  for (const char* address : {"a@example.com", "nobody@example.com"}) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(codeOf(login(shop(), address, "wrong horse")), "INVALID_CREDENTIALS");
    EXPECT_EQ(codeOf(login(shop(), address, "wrong horse")), "RATE_LIMITED");
    EXPECT_EQ(codeOf(login(shop(), address)), "RATE_LIMITED");
  }
  EXPECT_EQ(codeOf(login(other(), "a@example.com")), "INVALID_CREDENTIALS");
  clock_.advance(15 * 60 * 1000);
  EXPECT_TRUE(login(shop(), "a@example.com"));
}

TEST_F(UsersTest, StatusChangesAreAuditedInTheSameCommit) {
  const auto user = registerIn(shop(), "a@example.com");
  const uint64_t epoch = store_.epoch(kShop).value;
  ASSERT_TRUE(setStatus(shop(), user->id, UserStatus::blocked));
  EXPECT_GT(store_.epoch(kShop).value, epoch);
  const auto entries = store_.all({kShop, audit::kAuditCollection, 0});
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].view().stringOr("action"), "user.block");
  EXPECT_EQ(entries[0].view().stringOr("target"), "users/" + user->id.str());
  EXPECT_EQ(entries[0].view().stringOr("ip"), "203.0.113.7");
  EXPECT_EQ(codeOf(setStatus(shop(), UserId("user_nobody"), UserStatus::blocked)), "NOT_FOUND");
  EXPECT_EQ(codeOf(setStatus(other(), user->id, UserStatus::blocked)), "NOT_FOUND");
  EXPECT_EQ(store_.all({kShop, audit::kAuditCollection, 0}).size(), 1U);
}

class PatchTest : public UsersTest {
 protected:
  Result<> patch(const UserId& id, const std::string& json, policy::Caller by) {
    auto decoded = doc::decode<UserPatch>(doc::parseJson(json)->view());
    if (!decoded) return fail(std::move(decoded).error());
    return run(identity_.users().patch(shop(), id, *std::move(decoded), std::move(by), soon()));
  }
  UserRecord reread(const UserId& id) { return **run(identity_.users().get(shop(), id)); }
};

TEST_F(PatchTest, ChangesWhatItNames) {
  const auto user = registerIn(shop(), "a@example.com");
  ASSERT_TRUE(patch(user->id, R"({"name":"Ann","emailVerified":true,"metadata":{"plan":"gold"}})", admin()));
  UserRecord now = reread(user->id);
  EXPECT_EQ(now.name.value, "Ann");
  EXPECT_TRUE(now.emailVerified);
  EXPECT_EQ(doc::toJson(now.metadata), R"({"plan":"gold"})");
  ASSERT_TRUE(patch(user->id, R"({"name":null})", admin()));
  now = reread(user->id);
  EXPECT_FALSE(now.name.value);
  EXPECT_EQ(doc::toJson(now.metadata), R"({"plan":"gold"})");
}

TEST_F(PatchTest, ANewAddressIsUnverifiedAndUnique) {
  const auto user = registerIn(shop(), "a@example.com");
  ASSERT_TRUE(registerIn(shop(), "b@example.com"));
  ASSERT_TRUE(patch(user->id, R"({"emailVerified":true})", admin()));
  EXPECT_EQ(codeOf(patch(user->id, R"({"email":"B@example.com"})", admin())), "EMAIL_TAKEN");
  ASSERT_TRUE(patch(user->id, R"({"email":"c@example.com"})", admin()));
  EXPECT_FALSE(reread(user->id).emailVerified);
  EXPECT_TRUE(login(shop(), "c@example.com"));
  EXPECT_EQ(codeOf(login(shop(), "a@example.com")), "INVALID_CREDENTIALS");
}

TEST_F(PatchTest, RefusesBadInput) {
  const auto user = registerIn(shop(), "a@example.com");
  for (const char* json :
       {R"({"email":"nobody"})", R"({"email":{"$ne":""}})", R"({"status":"blocked"})", R"({"passwordHash":"x"})",
        R"({"metadata":[]})", R"({"metadata":{"role":1}})", R"({"metadata":{"role":{"$ne":""}}})",
        R"({"metadata":{"role":""}})", R"({"name":""})", R"({"emailVerified":"yes"})", R"({"id":"user_x"})"}) {
    EXPECT_EQ(codeOf(patch(user->id, json, admin())), "VALIDATION") << json;
  }
  EXPECT_EQ(codeOf(patch(user->id, R"({"metadata":{"x":")" + std::string(20'000, 'x') + R"("}})", admin())),
            "VALIDATION");
  EXPECT_EQ(codeOf(patch(UserId("user_nobody"), "{}", admin())), "NOT_FOUND");
  EXPECT_EQ(codeOf(patch(UserId("../../etc"), "{}", admin())), "NOT_FOUND");
}

TEST_F(PatchTest, ARoleThatHoldsMoreThanTheCallerCannotBeAssigned) {
  const auto user = registerIn(shop(), "a@example.com");
  for (const auto& [role, permission] : {std::pair("boss", "data:*"), std::pair("reader", "data:*:read")}) {
    ASSERT_TRUE(run(identity_.roles().create(kShop, RoleKind::endUser, {role, {permission}}, admin(), soon())));
  }
  const policy::Caller helper = callerWith({"users:manage", "data:*:read"});
  EXPECT_EQ(codeOf(patch(user->id, R"({"metadata":{"role":"boss"}})", helper)), "FORBIDDEN");
  EXPECT_TRUE(patch(user->id, R"({"metadata":{"role":"reader"}})", helper));
  EXPECT_TRUE(patch(user->id, R"({"metadata":{"role":"boss"}})", admin()));
  EXPECT_TRUE(patch(user->id, R"({"metadata":{"role":"boss","x":1}})", helper));
  EXPECT_TRUE(patch(user->id, R"({"metadata":{}})", admin()));
  EXPECT_EQ(roleOf(reread(user->id)), "user");
}

TEST_F(PatchTest, TheAccessOfAUserWhoHoldsMoreCannotBeChanged) {
  const auto user = registerIn(shop(), "a@example.com");
  for (const auto& [role, permission] : {std::pair("boss", "data:*"), std::pair("reader", "data:*:read")}) {
    ASSERT_TRUE(run(identity_.roles().create(kShop, RoleKind::endUser, {role, {permission}}, admin(), soon())));
  }
  ASSERT_TRUE(setRole(shop(), user->id, "boss"));
  const std::string before = doc::toJson(doc::encode(reread(user->id)));
  const policy::Caller helper = callerWith({"users:manage", "data:*:read"});
  for (const char* json :
       {R"({"email":"mine@example.com"})", R"({"email":"A@example.com"})", R"({"emailVerified":true})",
        R"({"metadata":{}})", R"({"metadata":{"role":"reader"}})", R"({"metadata":{"role":"user"}})",
        R"({"metadata":{"role":"gone"}})", R"({"name":"x","email":"mine@example.com"})"}) {
    EXPECT_EQ(codeOf(patch(user->id, json, helper)), "FORBIDDEN") << json;
  }
  for (const UserStatus status : {UserStatus::active, UserStatus::inactive, UserStatus::blocked}) {
    EXPECT_EQ(codeOf(run(identity_.users().setStatus(shop(), user->id, status, helper, soon()))), "FORBIDDEN");
  }
  EXPECT_EQ(codeOf(run(identity_.mfa().reset(shop(), user->id, helper, soon()))), "FORBIDDEN");
  EXPECT_EQ(doc::toJson(doc::encode(reread(user->id))), before);
  // They may change fields that give no access, and make changes without effect.
  EXPECT_TRUE(patch(user->id, R"({"name":"Ann","email":"a@example.com","emailVerified":false})", helper));
  EXPECT_TRUE(patch(user->id, R"({"metadata":{"role":"boss","note":"called twice"}})", helper));
  // They may change everything of a user who holds no more than they do.
  ASSERT_TRUE(setRole(shop(), user->id, "reader"));
  EXPECT_TRUE(patch(user->id, R"({"email":"b@example.com","emailVerified":true})", helper));
  EXPECT_TRUE(run(identity_.users().setStatus(shop(), user->id, UserStatus::blocked, helper, soon())));
  EXPECT_TRUE(run(identity_.mfa().reset(shop(), user->id, helper, soon())));
  EXPECT_TRUE(patch(user->id, R"({"metadata":{"role":"user"}})", callerWith({"users:manage", "data:*:read"})));
  EXPECT_TRUE(patch(user->id, R"({"email":"c@example.com"})", callerWith({"users:manage"})));
}

TEST_F(UsersTest, ListsInPagesByCreation) {
  for (int i = 0; i < 5; ++i) {
    clock_.advance(10);
    ASSERT_TRUE(run(identity_.users().create(
        shop(), {"u" + std::to_string(i) + "@example.com", "correct horse", {}, true}, admin(), soon())));
  }
  const auto page = run(identity_.users().list(shop(), 1, 2, soon()));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[0].email, "u1@example.com");
  EXPECT_TRUE((*page)[0].emailVerified);
  EXPECT_TRUE(run(identity_.users().list(other(), 0, 10, soon()))->empty());
}

// Counts registrations in a document of its own; the first user is super-admin.
class CountingHook final : public RegistrationHook {
 public:
  Task<RegistrationPlan> plan(UserRecord, RegistrationClaims) override {
    ++plans;
    if (refuses) co_return fail(ErrorCode::forbidden, "not invited");
    RegistrationPlan plan;
    plan.addTo = [stale = plans < fresh](store::Write& write) -> UserChange {
      const store::Target count = write.change({store::kControlProject, 49, 0}, "count");
      return [stale, count](UserRecord& user, const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (stale) return fail(ErrorCode::retry, "plan again");
        if (!before[count]) user.platformRole = kSuperAdmin;
        changes.put(count, *doc::parseJson(R"({"id":"count"})"));
        return {};
      };
    };
    co_return plan;
  }
  Task<RegistrationPlan> planProven(UserRecord user, std::string invite) override {
    co_return co_await plan(std::move(user), {.invite = std::move(invite)});
  }
  Task<std::optional<std::string>> invitedAddress(std::string) override { co_return std::nullopt; }
  std::atomic<int> plans = 0;
  int fresh = 0;  // the first plan that is not out of date
  bool refuses = false;
};

TEST_F(UsersTest, TheHookDecidesInsideTheRegisteringWrite) {
  CountingHook hook;
  identity_.setRegistrationHook(hook);
  ASSERT_TRUE(registerIn(shop(), "end@example.com"));
  EXPECT_EQ(hook.plans, 0);
  const auto first = registerIn(Realm::platform(), "a@example.com");
  const auto second = registerIn(Realm::platform(), "b@example.com");
  EXPECT_EQ(first->platformRole, "super-admin");
  EXPECT_EQ(second->platformRole, "user");
  EXPECT_EQ((*run(identity_.users().get(Realm::platform(), first->id)))->platformRole, "super-admin");
}

TEST_F(UsersTest, TheHookMayRequireANewPlanThreeTimesAtMost) {
  CountingHook hook;
  identity_.setRegistrationHook(hook);
  hook.fresh = 4;
  EXPECT_TRUE(registerIn(Realm::platform(), "a@example.com"));
  EXPECT_EQ(hook.plans, 4);  // the first one before the address is looked up
  hook.fresh = 100;
  EXPECT_EQ(codeOf(registerIn(Realm::platform(), "b@example.com")), "CONFLICT");
  EXPECT_EQ(hook.plans, 8);
}

TEST_F(UsersTest, TheHookMayRefuseAnAddress) {
  CountingHook hook;
  identity_.setRegistrationHook(hook);
  ASSERT_TRUE(registerIn(Realm::platform(), "a@example.com"));
  hook.refuses = true;
  EXPECT_EQ(codeOf(registerIn(Realm::platform(), "a@example.com")), "FORBIDDEN");
  EXPECT_EQ(codeOf(registerIn(Realm::platform(), "b@example.com")), "FORBIDDEN");
  // Accepting an invitation that ended concurrently fails like any ended one.
  EXPECT_EQ(codeOf(run(identity_.users().registerInvited({"b@example.com", "a long password", {}, "token"}, soon()))),
            "VALIDATION");
}

}  // namespace
}  // namespace mb::identity
