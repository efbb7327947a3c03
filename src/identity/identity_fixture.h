// Identity over a store in memory, with two projects, for this module's tests.
#pragma once

#include <gtest/gtest.h>

#include "document/json.h"
#include "identity/identity.h"
#include "identity/records.h"
#include "mail/testing.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::identity {

class FakeDirectory final : public snapshot::ProjectDirectory {
 public:
  Task<std::optional<snapshot::ProjectInfo>> find(std::string idOrSlug) override {
    for (const auto& project : projects) {
      if (project.id.str() == idOrSlug || project.slug == idOrSlug) co_return project;
    }
    co_return std::nullopt;
  }
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo number) override {
    for (const auto& project : projects) {
      if (project.number == number) co_return project;
    }
    co_return std::nullopt;
  }
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override { co_return std::nullopt; }
  std::vector<snapshot::ProjectInfo> projects;
};

class FakeMembers final : public snapshot::SlotSource {
 public:
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
    auto seen = std::make_shared<const MemberTable>(table);
    if (afterRead) CO_RETURN_IF_ERROR(co_await std::exchange(afterRead, nullptr)());
    co_return std::shared_ptr<const void>(std::move(seen));
  }
  MemberTable table;
  std::function<Task<>()> afterRead;  // runs once, in the next load, after it has read the table
};

class IdentityFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kStartMs = 1'800'000'000'000;
  static constexpr store::ProjectNo kShop = 2;
  static constexpr store::ProjectNo kOther = 3;

  IdentityFixture() {
    directory_.projects = {{kShop, ProjectId("proj_shop"), "shop", "Shop", snapshot::ProjectStatus::active, {}},
                           {kOther, ProjectId("proj_other"), "other", "Other", snapshot::ProjectStatus::active, {}}};
    snapshots_.setDirectory(directory_);
    identity_.setMembers(members_);
    cores_.start();
    EXPECT_TRUE(run(identity_.start()));
  }
  ~IdentityFixture() override {
    identity_.stop();
    cores_.stop();
    cores_.join();
  }

  static std::vector<store::SystemCollection> collections() {
    initCrypto();
    auto all = systemCollections();
    all.push_back(audit::auditCollection());
    for (auto& collection : jobs::systemCollections()) all.push_back(std::move(collection));
    return all;
  }
  template <class T>
  Result<T> run(Task<T> task, int core = 0) {
    return store::testing::runOn(cores_, core, std::move(task));
  }
  // Runs all concurrently, spread over the cores; the results in the order of `tasks`.
  template <class T>
  std::vector<Result<T>> runAll(std::vector<Task<T>> tasks) {
    std::vector<std::promise<Result<T>>> done(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      asio::co_spawn(cores_.at(static_cast<int>(i) % cores_.count()).get_executor(), std::move(tasks[i]),
                     [&done, i](std::exception_ptr bug, Result<T> result) {
                       bug ? done[i].set_exception(bug) : done[i].set_value(std::move(result));
                     });
    }
    std::vector<Result<T>> results;
    for (auto& one : done) results.push_back(one.get_future().get());
    return results;
  }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }
  template <class T>
  static std::string codeOf(const Result<T>& result) {
    return result ? std::string() : std::string(meaningOf(result.error().code()).wire);
  }

  snapshot::SnapshotPtr snapshotOf(const snapshot::ProjectInfo& project) {
    auto found = run(snapshots_.find(project.id.str()));
    EXPECT_TRUE(found && *found);
    return *found;
  }
  // Writes the document in a commit of its own, replacing an existing one.
  void putDocument(const store::WriteTarget& target, const doc::Document& document) {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    const store::Target named = write.change(target);
    EXPECT_TRUE(run(store_.write(std::move(write), [named, document](const store::PreImages&, store::Changes& changes) {
      changes.put(named, document);
      return Result<>();
    })));
  }

  Realm shop() const { return Realm::of(directory_.projects[0]); }
  Realm other() const { return Realm::of(directory_.projects[1]); }

  Result<UserRecord> registerIn(Realm realm, std::string email, std::string password = "correct horse",
                                TakenEmail taken = TakenEmail::refuse) {
    return run(identity_.users().registerUser(realm, {std::move(email), std::move(password), {}}, taken, soon()));
  }
  Result<UserRecord> login(Realm realm, std::string email, std::string password = "correct horse") {
    return run(identity_.users().checkPassword(realm, {std::move(email), std::move(password)}));
  }
  static UserRecord recordOf(const UserId& id) {
    UserRecord record;
    record.id = id;
    return record;
  }
  Sessions::Opened open(Realm realm, const UserId& user) {
    UserRecord record = recordOf(user);
    // A user with a second factor has passed it.
    if (const auto stored = run(identity_.users().get(realm, user)); stored && *stored) {
      record.mfaEnabled = (*stored)->mfaEnabled;
    }
    auto opened = run(identity_.sessions().open(realm, std::move(record), {"203.0.113.1", "a browser"}, soon()));
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  // A signed-in end user or platform user, and their access token.
  struct SignedIn {
    UserRecord user;
    Sessions::Opened session;
    std::string token;
  };
  SignedIn signIn(Realm realm, std::string email) {
    auto user = registerIn(realm, std::move(email));
    EXPECT_TRUE(user);
    SignedIn in{*user, open(realm, user->id), ""};
    const auto& tokens = identity_.tokens();
    in.token = realm.control ? tokens.mintControl(user->id, in.session.session.id)
                             : tokens.mintEndUser(user->id, in.session.session.id, realm.id, "user", {});
    return in;
  }
  policy::Caller callerWith(std::vector<std::string> permissions) const {
    policy::Caller caller;
    caller.kind = policy::CallerKind::member;
    caller.id = "user_admin";
    caller.email = "admin@example.com";
    caller.ip = "203.0.113.7";
    caller.requestId = "req-1";
    caller.permissions = std::make_shared<const policy::PermissionSet>(std::move(permissions));
    return caller;
  }
  policy::Caller admin() const { return callerWith({"*"}); }
  Result<> setStatus(const Realm& realm, const UserId& id, UserStatus status) {
    return run(identity_.users().setStatus(realm, id, status, admin(), soon()));
  }
  Result<> setRole(const Realm& realm, const UserId& id, const std::string& role) {
    UserPatch patch;
    patch.metadata = *doc::parseJson(R"({"role":")" + role + "\"}");
    return run(identity_.users().patch(realm, id, std::move(patch), admin(), soon()));
  }
  Result<Identified> identify(const std::string& token, int core = 0) {
    return run(identity_.authenticator().project(token), core);
  }
  // The actions in the project's audit record, in the order of its entries.
  std::vector<std::string> auditActions(store::ProjectNo project = kShop) const {
    std::vector<std::string> actions;
    for (const auto& entry : store_.all({project, audit::kAuditCollection, 0})) {
      actions.emplace_back(entry.view().stringOr("action"));
    }
    return actions;
  }
  // Whether the core's cache has a valid entry for the token.
  bool isCached(const std::string& token, int core = 0) {
    return *run(cachedOn(identity_.authenticator(), token), core);
  }
  static Task<bool> cachedOn(Authenticator& authenticator, std::string token) {
    co_return authenticator.cachedProject(token).has_value();
  }

  ManualClock clock_{kStartMs};
  Cores cores_{2};
  store::testing::MemoryStore store_{collections()};
  IdGenerator ids_{clock_};
  audit::Auditor auditor_{true, ids_, clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  mail::testing::MailBox box_{store_, cores_, ids_, clock_, master_, true};
  snapshot::Snapshots snapshots_{store_, cores_, 100};
  FakeDirectory directory_;
  FakeMembers members_;
  variables::Variables variables_{{store_, snapshots_, clock_, auditor_, master_}};
  Identity identity_{{store_, snapshots_, cores_, ids_, clock_, auditor_, master_, box_.mailer(),
                      "https://api.example.com", variables_},
                     {}};
};

}  // namespace mb::identity
