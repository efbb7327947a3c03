// A control plane on an in-memory store, for this module's tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <latch>

#include "identity/identity.h"
#include "mail/testing.h"
#include "projects/directory.h"
#include "projects/environments.h"
#include "projects/instance.h"
#include "projects/members.h"
#include "projects/operators.h"
#include "projects/projects.h"
#include "projects/purge.h"
#include "projects/records.h"
#include "projects/transfers.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::projects {

// Copies nothing; records the pairs of projects it was called with.
class RecordingCopier final : public ConfigurationCopier {
 public:
  Task<std::vector<std::string>> clone(Side from, Side to, store::Deadline) override {
    note("clone", from, to);
    if (during) during();
    if (fails) co_return fail(*fails, "no");
    co_return warnings;
  }
  Task<doc::Document> promote(Side from, Side to, ImportMode mode, store::Deadline) override {
    note(mode.dryRun ? "plan" : "promote", from, to);
    if (fails) co_return fail(*fails, "no");
    doc::BsonWriter out;
    out.beginDocument("plan");
    out.beginDocument("summary");
    out.appendInteger("create", 3);
    out.end();
    out.end();
    co_return out.finish();
  }

  std::optional<ErrorCode> fails;
  std::function<void()> during;  // called during clone()
  std::vector<std::string> warnings;
  std::vector<std::string> calls;  // "clone shop shop-staging"
  std::optional<policy::Caller> lastCaller;

 private:
  void note(const std::string& what, const Side& from, const Side& to) {
    const std::lock_guard lock(mutex_);
    calls.push_back(what + " " + from.project->info().slug + " " + to.project->info().slug);
    lastCaller = to.caller;
  }
  std::mutex mutex_;
};

// Billing with one plan for all users and projects, without limits until a test sets one. Not while requests run.
class OnePlan final : public PlanLookup, public snapshot::SlotSource {
 public:
  void limit(plans::Limit limit, int64_t max) { plan_.limits.at(limit) = max; }
  Task<plans::PlanInForce> ofUser(std::string) override { co_return plan_; }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
    co_return std::shared_ptr<const void>(std::make_shared<const plans::PlanInForce>(plan_));
  }

 private:
  plans::PlanInForce plan_{"free", "Free", {}};
};

class ProjectsFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kStartMs = 1'800'000'000'000;

  // `mail`: as if a mail server were set.
  // `more`: collections of higher modules.
  explicit ProjectsFixture(bool mail = false, int cores = 1, const std::vector<store::SystemCollection>& more = {})
      : cores_(cores), store_(systemCollectionsOfAll(more)), mail_(mail) {
    initCrypto();
    settings_.operatorsEnabled = true;
    settings_.operatorEmails = {"operator@example.com"};
    snapshots_.setDirectory(directory_);
    identity_.setMembers(memberSource_);
    deps_.emplace(ProjectDeps{store_, snapshots_, identity_.users(), identity_.links(), identity_.tokens(),
                              identity_.slots(), snapshots_.addSlot<ProjectRecord>(recordSource_), ids_, clock_,
                              auditor_, box_.mailer(), "http://localhost",
                              snapshots_.addSlot<plans::PlanInForce>(plan_)});
    registration_.emplace(store_, ids_, clock_, auditor_, box_.mailer(), setupCode_, settings_);
    identity_.setRegistrationHook(*registration_);
    projects_.emplace(*deps_);
    members_.emplace(*deps_);
    instance_.emplace(*deps_, settings_);
    environments_.emplace(*deps_, copies_, box_.queue());
    operators_.emplace(*deps_, settings_);
    transfers_.emplace(*deps_);
    cores_.start();
    EXPECT_TRUE(run(identity_.start()));
  }
  ~ProjectsFixture() override {
    identity_.stop();
    cores_.stop();
    cores_.join();
  }

  static std::vector<store::SystemCollection> systemCollectionsOfAll(const std::vector<store::SystemCollection>& more) {
    std::vector<store::SystemCollection> all = systemCollections();
    all.insert(all.end(), more.begin(), more.end());
    for (auto& collection : identity::systemCollections()) all.push_back(std::move(collection));
    all.push_back(audit::auditCollection());
    for (auto& collection : jobs::systemCollections()) all.push_back(std::move(collection));
    return all;
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }

  // Runs each on a core of its own, all at once; returns the wire codes of their errors, "" for success.
  std::vector<std::string> atOnce(std::vector<std::function<Task<>()>> moves) {
    std::latch begin(static_cast<std::ptrdiff_t>(moves.size()));
    std::vector<std::promise<Result<>>> done(moves.size());
    for (size_t i = 0; i < moves.size(); ++i) {
      asio::post(cores_.at(static_cast<int>(i)), [&, i] {
        begin.arrive_and_wait();
        asio::co_spawn(cores_.at(static_cast<int>(i)).get_executor(), moves[i](),
                       [&done, i](std::exception_ptr, Result<> result) { done[i].set_value(std::move(result)); });
      });
    }
    std::vector<std::string> codes;
    for (auto& promise : done) codes.push_back(codeOf(promise.get_future().get()));
    return codes;
  }
  // The task, without its result.
  template <class T>
  static Task<> dropping(Task<T> task) {
    CO_RETURN_IF_ERROR(co_await std::move(task));
    co_return Result<>();
  }

  // A registration from this machine, without a set-up code.
  static identity::Registration locally(std::string email, std::optional<std::string> invite = {}) {
    return {.email = std::move(email),
            .password = "a long password",
            .name = {},
            .invite = std::move(invite),
            .setupCode = {},
            .local = true};
  }
  identity::UserRecord registered(std::string email) {
    auto user = run(identity_.users().registerUser(identity::Realm::platform(), locally(email),
                                                   identity::TakenEmail::refuse, soon()));
    EXPECT_TRUE(user) << user.error().message();
    return user ? *user : identity::UserRecord{};
  }
  policy::Caller callerOf(const identity::UserRecord& user) {
    policy::Caller caller;
    caller.kind = policy::CallerKind::platform;
    caller.id = user.id.str();
    caller.sessionId = "sess_1";
    caller.email = user.email;
    caller.ip = "203.0.113.1";
    return caller;
  }
  // From here on there is billing, with this limit for all users and projects.
  void limit(plans::Limit limit, int64_t max) {
    plan_.limit(limit, max);
    deps_->plans = &plan_;
  }
  policy::Caller person(std::string email) { return callerOf(registered(std::move(email))); }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }
  static By by(const policy::Caller& caller) { return {caller, soon()}; }

  ProjectView made(const policy::Caller& owner, std::string name = "Shop") {
    auto project = run(projects_->create(by(owner), {std::move(name), {}}));
    EXPECT_TRUE(project) << project.error().message();
    return project ? *project : ProjectView{};
  }
  ProjectView environment(const policy::Caller& owner, const ProjectView& root, std::string label) {
    auto project = run(environments_->create(by(owner), root.id.str(), {std::move(label), {}}));
    EXPECT_TRUE(project) << project.error().message();
    return project ? *project : ProjectView{};
  }
  ProjectRecord recordOf(const ProjectId& id) {
    const auto stored = run(store_.get(controlCollection(kProjects), id.str()));
    return *fromStore<ProjectRecord>((*stored)->view());
  }
  std::vector<std::string> membersOf(const policy::Caller& caller, const ProjectView& project) {
    std::vector<std::string> out;
    const auto members = run(members_->list(by(caller), project.id.str()));
    for (const auto& m : *members) out.push_back(m.email + " " + m.role + " " + m.status);
    return out;
  }
  void join(const policy::Caller& owner, const ProjectView& project, const policy::Caller& user, std::string role) {
    auto member = run(members_->add(by(owner), project.id.str(), {user.email, std::move(role)}));
    EXPECT_TRUE(member) << member.error().message();
  }
  std::vector<std::string> auditActions(store::ProjectNo project) const {
    std::vector<std::string> actions;
    for (const auto& entry : store_.all({project, audit::kAuditCollection, 0})) {
      actions.emplace_back(entry.view().stringOr("action"));
    }
    return actions;
  }
  store::ProjectNo numberOf(const ProjectView& project) {
    auto snapshot = run(snapshots_.find(project.id.str()));
    return (*snapshot)->info().number;
  }
  template <class T>
  static std::string codeOf(const Result<T>& result) {
    return result ? std::string() : std::string(meaningOf(result.error().code()).wire);
  }

  ManualClock clock_{kStartMs};
  Cores cores_;
  store::testing::MemoryStore store_;
  IdGenerator ids_{clock_};
  audit::Auditor auditor_{true, ids_, clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  const bool mail_;
  mail::testing::MailBox box_{store_, cores_, ids_, clock_, master_, mail_};
  snapshot::Snapshots snapshots_{store_, cores_, 100};
  Directory directory_{store_};
  MemberSource memberSource_{store_};
  RecordSource recordSource_;
  OnePlan plan_;
  variables::Variables variables_{{store_, snapshots_, clock_, auditor_, master_}};
  identity::Identity identity_{
      {store_, snapshots_, cores_, ids_, clock_, auditor_, master_, box_.mailer(), "http://localhost", variables_}, {}};
  InstanceSettings settings_;
  SetupCode setupCode_{std::filesystem::temp_directory_path() / "nowhere"};
  RecordingCopier copies_;
  std::optional<ProjectDeps> deps_;
  std::optional<Registration> registration_;
  std::optional<Projects> projects_;
  std::optional<Members> members_;
  std::optional<Instance> instance_;
  std::optional<Environments> environments_;
  std::optional<Operators> operators_;
  std::optional<Transfers> transfers_;
};

}  // namespace mb::projects
