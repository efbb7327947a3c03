// Projects on an in-memory store, with every kind of configuration, built as in app/. For this module's tests.
#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "configuration/configuration.h"
#include "document/json.h"
#include "mail/testing.h"
#include "projects/project_rules.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::configuration {

// Forwards all calls until stopAfter(): then every change fails, as if the process had ended there.
class StoppingStore final : public store::DocumentStore {
 public:
  explicit StoppingStore(store::DocumentStore& inner) : inner_(inner) {}
  // Lets `changes` more pass; negative: all. Any thread.
  void stopAfter(int changes) { left_ = changes; }
  bool stopped() const { return left_ == 0; }
  // False: no index is ready, as while they are built. Any thread.
  void setIndexesReady(bool ready) { indexesReady_ = ready; }

  Task<std::optional<doc::Document>> get(store::CollectionRef collection, std::string id,
                                         store::ReadOptions options) override {
    return inner_.get(collection, std::move(id), options);
  }
  Task<std::optional<store::VersionedDocument>> getVersioned(store::CollectionRef collection, std::string id,
                                                             store::ReadOptions options) override {
    return inner_.getVersioned(collection, std::move(id), options);
  }
  Task<std::vector<std::optional<doc::Document>>> getMany(store::CollectionRef collection, std::vector<std::string> ids,
                                                          std::shared_ptr<const doc::FieldSet> hidden,
                                                          store::ReadOptions options) override {
    return inner_.getMany(collection, std::move(ids), std::move(hidden), options);
  }
  Task<store::QueryResult> find(store::Query query) override { return inner_.find(std::move(query)); }
  Task<uint64_t> count(store::CollectionRef collection, doc::Filter filter, store::Deadline deadline) override {
    return inner_.count(collection, std::move(filter), deadline);
  }
  Task<store::WriteOutcome> write(store::Write write, store::WriteCallback callback) override {
    if (ends()) return ended<store::WriteOutcome>();
    return inner_.write(std::move(write), std::move(callback));
  }
  Task<store::CollectionStats> stats(store::CollectionRef collection, store::ReadOptions options) override {
    return inner_.stats(collection, options);
  }
  Task<store::CollectionStats> statsByField(store::CollectionRef collection, std::string value,
                                            store::ReadOptions options) override {
    return inner_.statsByField(collection, std::move(value), options);
  }
  Task<std::vector<store::CollectionUsage>> usage(store::ProjectNo project, store::ReadOptions options) override {
    return inner_.usage(project, options);
  }
  Task<int64_t> counter(store::CounterKey key) override { return inner_.counter(std::move(key)); }
  Task<store::CounterRecount> recountCounters(store::ProjectNo project, store::RecountOptions options) override {
    return inner_.recountCounters(project, options);
  }
  store::Mark mark(store::ProjectNo project, store::CollectionNo collection, std::string_view path,
                   doc::ValueView value) const override {
    return inner_.mark(project, collection, path, value);
  }
  Task<> markPath(store::ProjectNo project, store::CollectionNo collection, std::string path) override {
    return inner_.markPath(project, collection, std::move(path));
  }
  Task<uint64_t> epochNow(store::ProjectNo project) override { return inner_.epochNow(project); }
  store::Notices& notices() override { return inner_.notices(); }
  Task<store::ProjectNo> allocateProject() override { return inner_.allocateProject(); }
  Task<> dropProject(store::ProjectNo project) override { return inner_.dropProject(project); }
  store::Epoch epoch(store::ProjectNo project) const override { return inner_.epoch(project); }
  Task<std::vector<store::CollectionInfo>> collections(store::ProjectNo project) override {
    CO_TRY(std::vector<store::CollectionInfo> all, co_await inner_.collections(project));
    for (store::CollectionInfo& collection : all) {
      for (store::IndexInfo& index : collection.indexes) index.ready = index.ready && indexesReady_;
    }
    co_return all;
  }
  Task<store::CollectionInfo> createCollection(store::ProjectNo project, std::string name, doc::Document config,
                                               std::vector<store::Insert> extraInserts) override {
    if (ends()) return ended<store::CollectionInfo>();
    return inner_.createCollection(project, std::move(name), std::move(config), std::move(extraInserts));
  }
  Task<store::CollectionInfo> alterCollection(store::CollectionRef collection, store::Alteration change,
                                              std::vector<store::Insert> extraInserts) override {
    if (ends()) return ended<store::CollectionInfo>();
    return inner_.alterCollection(collection, std::move(change), std::move(extraInserts));
  }
  Task<> dropCollection(store::CollectionRef collection, std::vector<store::Insert> extraInserts) override {
    return inner_.dropCollection(collection, std::move(extraInserts));
  }
  Task<store::IndexInfo> createIndex(store::CollectionRef collection, store::IndexSpec spec,
                                     std::vector<store::Insert> extraInserts) override {
    if (ends()) return ended<store::IndexInfo>();
    return inner_.createIndex(collection, std::move(spec), std::move(extraInserts));
  }
  Task<> dropIndex(store::CollectionRef collection, std::string name,
                   std::vector<store::Insert> extraInserts) override {
    if (ends()) return ended<void>();
    return inner_.dropIndex(collection, std::move(name), std::move(extraInserts));
  }
  Task<std::optional<store::IndexProgress>> indexProgress(store::CollectionRef collection,
                                                          store::IndexNo index) override {
    return inner_.indexProgress(collection, index);
  }
  Result<> healthy() const override { return inner_.healthy(); }

 private:
  bool ends() {
    int left = left_;
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
    }
    return left == 0;
  }
  template <class T>
  Task<T> ended() {
    co_return fail(ErrorCode::unavailable, "the store has ended");
  }
  store::DocumentStore& inner_;
  std::atomic<int> left_ = -1;  // changes come from several cores
  std::atomic<bool> indexesReady_ = true;
};

class Directory final : public snapshot::ProjectDirectory {
 public:
  Task<std::optional<snapshot::ProjectInfo>> find(std::string id) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, info] : projects_) {
      if (info.id.str() == id) co_return info;
    }
    co_return std::nullopt;
  }
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo number) override {
    const std::lock_guard lock(mutex_);
    const auto found = projects_.find(number);
    co_return found == projects_.end() ? std::nullopt : std::optional(found->second);
  }
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override { co_return std::nullopt; }

  void add(snapshot::ProjectInfo info) {
    const std::lock_guard lock(mutex_);
    projects_[info.number] = std::move(info);
  }
  template <class F>
  void change(store::ProjectNo number, F change) {
    const std::lock_guard lock(mutex_);
    change(projects_[number]);
  }
  std::vector<snapshot::ProjectInfo> all() {
    const std::lock_guard lock(mutex_);
    std::vector<snapshot::ProjectInfo> all;
    for (const auto& [number, info] : projects_) all.push_back(info);
    return all;
  }
  void remove(store::ProjectNo number) {
    const std::lock_guard lock(mutex_);
    projects_.erase(number);
  }

 private:
  // A snapshot may be refreshed during the test.
  std::mutex mutex_;
  std::map<store::ProjectNo, snapshot::ProjectInfo> projects_;
};

class NoMembers final : public snapshot::SlotSource {
 public:
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
    co_return std::shared_ptr<const void>(std::make_shared<const identity::MemberTable>());
  }
};

class ConfigurationFixture : public ::testing::Test {
 protected:
  using Text = std::string;

  // A document with these sections.
  static Text with(std::string_view sections) { return fmt::format(R"({{"formatVersion":1,{}}})", sections); }

  // "<pointer>: <message>" of each problem.
  static std::vector<Text> problemsOf(const Result<doc::Document>& answer) {
    std::vector<Text> problems;
    if (answer) return problems;
    for (const ErrorDetail& each : answer.error().details()) problems.push_back(each.path + ": " + each.message);
    return problems;
  }

  // Changes the settings of a project as its record has them.
  Task<> writeSettings(snapshot::SnapshotPtr project, projects::SettingsPatch patch) {
    directory_.change(project->info().number, [&](snapshot::ProjectInfo& info) {
      projects::ProjectSettings settings;
      if (const auto stored = info.record.view().find("settings")) {
        settings = *doc::decode<projects::ProjectSettings>(stored->asDocument());
      }
      projects::applySettings(settings, patch);
      doc::BsonWriter out;
      doc::encodeValue(out, "settings", settings);
      info.record = out.finish();
    });
    memory_.bumpEpoch(project->info().number);
    co_return Result<>();
  }

  // `more`: system collections of higher modules, where their indexes matter.
  explicit ConfigurationFixture(const std::vector<store::SystemCollection>& more = {}) : memory_(collections(more)) {
    snapshots_.setDirectory(directory_);
    identity_.setMembers(members_);
    data_ =
        data::Data::build({store_, snapshots_, cores_, ids_, clock_, auditor_},
                          []() -> Task<std::vector<store::ProjectNo>> { co_return std::vector<store::ProjectNo>(); });
    configuration_.emplace(
        ConfigurationDeps{store_, snapshots_, clock_, auditor_, identity_, *data_, variables_, "1.2.3"});
    cores_.start();
    EXPECT_TRUE(run(identity_.start()));
    shop_ = project();
  }
  ~ConfigurationFixture() override {
    identity_.stop();
    cores_.stop();
    cores_.join();
  }

  static std::vector<store::SystemCollection> collections(const std::vector<store::SystemCollection>& more) {
    initCrypto();
    std::vector<store::SystemCollection> all{audit::auditCollection()};
    for (const auto& module : {jobs::systemCollections(), identity::systemCollections(), data::systemCollections()}) {
      all.insert(all.end(), module.begin(), module.end());
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(60); }

  // A new, empty project.
  store::ProjectNo project(std::string name = "Shop") {
    auto number = run(store_.allocateProject());
    EXPECT_TRUE(number);
    const std::string id = fmt::format("proj_{}", *number);
    directory_.add({*number, ProjectId(id), id, std::move(name), snapshot::ProjectStatus::active, {}});
    return *number;
  }
  void forget(store::ProjectNo project) {
    EXPECT_TRUE(run(store_.dropProject(project)));
    directory_.remove(project);
  }
  snapshot::SnapshotPtr snapshot(store::ProjectNo project) {
    auto found = run(snapshots_.byNumber(project));
    EXPECT_TRUE(found && *found);
    return *found;
  }
  policy::Caller callerWith(std::vector<std::string> permissions) const {
    policy::Caller caller;
    caller.kind = policy::CallerKind::member;
    caller.id = "user_admin";
    caller.email = "admin@example.com";
    caller.requestId = "req-1";
    caller.permissions = std::make_shared<const policy::PermissionSet>(std::move(permissions));
    return caller;
  }
  policy::Caller admin() const { return callerWith({"*"}); }
  Target target(store::ProjectNo project, std::optional<policy::Caller> caller = std::nullopt) {
    return {caller ? *std::move(caller) : admin(), snapshot(project), soon()};
  }

  static doc::Document json(std::string_view text) {
    auto parsed = doc::parseJson(text);
    EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message());
    return parsed ? *std::move(parsed) : doc::Document();
  }
  Text exported(store::ProjectNo project) {
    const auto document = run(configuration_->exported(snapshot(project)));
    EXPECT_TRUE(document) << document.error().message();
    return document ? doc::toJson(*document) : "";
  }
  Result<doc::Document> plan(store::ProjectNo project, std::string_view document,
                             std::optional<policy::Caller> caller = std::nullopt) {
    return run(configuration_->plan(target(project, std::move(caller)), json(document), mode_));
  }
  Result<doc::Document> import(store::ProjectNo project, std::string_view document,
                               std::optional<policy::Caller> caller = std::nullopt) {
    return run(configuration_->import(target(project, std::move(caller)), json(document), mode_));
  }
  // "2 0 5": created, updated, unchanged.
  static Text summary(const Result<doc::Document>& answer) {
    if (!answer) return answer.error().message();
    const auto summary = answer->view().find("plan")->asDocument().find("summary")->asDocument();
    const auto of = [&](std::string_view key) { return summary.find(key)->asInteger(); };
    return fmt::format("{} {} {}", of("create"), of("update"), of("unchanged"));
  }
  std::vector<Text> auditActions(store::ProjectNo project) const {
    std::vector<Text> actions;
    for (const auto& entry : memory_.all({project, audit::kAuditCollection, 0})) {
      actions.emplace_back(entry.view().stringOr("action"));
    }
    return actions;
  }
  Result<> setVariable(Text name, variables::VariableBody body, std::optional<policy::Caller> caller = std::nullopt) {
    return run(variables_.put({caller ? *std::move(caller) : admin(), snapshot(shop_), soon()}, std::move(name),
                              std::move(body)));
  }
  Result<> setPlain(Text name, Text value) { return setVariable(std::move(name), {std::move(value), {}, {}}); }
  Result<> setSecret(Text name, Text value) { return setVariable(std::move(name), {std::move(value), true, {}}); }
  // "<path> <message>" of each, joined by line feeds; "" for a success.
  template <class T>
  static Text details(const Result<T>& result) {
    if (result) return "";
    std::vector<Text> all;
    for (const ErrorDetail& each : result.error().details()) all.push_back(each.path + " " + each.message);
    return fmt::format("{}", fmt::join(all, "\n"));
  }
  template <class T>
  static std::string codeOf(const Result<T>& result) {
    return result ? std::string() : std::string(meaningOf(result.error().code()).wire);
  }

  ManualClock clock_{1'800'000'000'000};
  Cores cores_{1};
  store::testing::MemoryStore memory_;
  StoppingStore store_{memory_};
  IdGenerator ids_{clock_};
  audit::Auditor auditor_{true, ids_, clock_};
  MasterSecret master_{Secret(std::string(32, 'k'))};
  mail::testing::MailBox box_{memory_, cores_, ids_, clock_, master_, true};
  snapshot::Snapshots snapshots_{store_, cores_, 100};
  Directory directory_;
  NoMembers members_;
  variables::Variables variables_{{store_, snapshots_, clock_, auditor_, master_}};
  identity::Identity identity_{{store_, snapshots_, cores_, ids_, clock_, auditor_, master_, box_.mailer(),
                                "https://api.example.com", variables_},
                               {}};
  std::unique_ptr<data::Data> data_;
  std::optional<Configuration> configuration_;
  store::ProjectNo shop_ = 0;
  projects::ImportMode mode_;  // of plan() and import()
};

}  // namespace mb::configuration
