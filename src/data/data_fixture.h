// One project on a store in memory, with the module wired as in app/. For the tests of this module.
#pragma once

#include <gtest/gtest.h>

#include "data/data.h"
#include "document/json.h"
#include "plans/settable_plan_fixture.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::data {

inline doc::Document json(std::string_view text) {
  auto parsed = doc::parseJson(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : doc::Document();
}

class OneProject final : public snapshot::ProjectDirectory {
 public:
  void set(snapshot::ProjectInfo info) { info_ = std::move(info); }
  Task<std::optional<snapshot::ProjectInfo>> find(std::string) override { co_return info_; }
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo) override { co_return info_; }
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override { co_return info_; }

 private:
  std::optional<snapshot::ProjectInfo> info_;
};

// Records the fields that the store's indexes have to hold, by collection.
class RecordedFields final : public store::EntryFields {
 public:
  void holdFields(store::ProjectNo, store::CollectionNo collection, std::vector<std::string> paths) override {
    held[collection] = std::move(paths);
  }
  std::map<store::CollectionNo, std::vector<std::string>> held;
};

class DataTest : public testing::Test {
 protected:
  static constexpr int64_t kStart = 1'770'000'000'000;

  // `more`: system collections of other modules.
  explicit DataTest(std::vector<store::SystemCollection> more = {}) : store_(allSystemCollections(std::move(more))) {
    snapshots_.setDirectory(directory_);
    data_ = Data::build({store_, snapshots_, cores_, ids_, clock_, auditor_, &entryFields_, &queue_, plan_.slot},
                        [this] { return projectNumbers(); });
    cores_.start();
    auto number = run(store_.allocateProject());
    EXPECT_TRUE(number);
    project_ = *number;
    directory_.set(info());

    alice_ = user("user_alice");
    bob_ = user("user_bob");
    owner_.kind = policy::CallerKind::member;
    owner_.id = "user_owner";
    owner_.role = "Owner";
    owner_.project = project_;
    owner_.permissions = permissions({"*"});
    owner_.requestId = "req-1";
  }
  ~DataTest() override { cores_.stop(); }

  snapshot::ProjectInfo info() const {
    snapshot::ProjectInfo info;
    info.number = project_;
    info.id = ProjectId("proj_test");
    info.slug = info.name = "test";
    return info;
  }
  // Gives the project these settings.
  void settings(std::string_view text) {
    snapshot::ProjectInfo changed = info();
    changed.record = json(R"({"settings":)" + std::string(text) + "}");
    directory_.set(std::move(changed));
    store_.bumpEpoch(project_);
  }

  // Limits the project's vectors from the next request on; nullopt: unlimited.
  void limitVectors(std::optional<int64_t> max) {
    plan_.set(plans::Limit::vectors, max);
    store_.bumpEpoch(project_);
  }
  // The meter.
  int64_t vectors() { return *run(store_.counter(vectorCounterOf(project_))); }

  // Runs a coroutine on the first core and waits for it.
  template <class T>
  Result<T> run(Task<T> task) {
    return store::testing::runOn(cores_, 0, std::move(task));
  }

  static policy::PermissionsPtr permissions(std::vector<std::string> list) {
    return std::make_shared<const policy::PermissionSet>(std::move(list));
  }
  policy::Caller user(std::string id) const {
    policy::Caller caller;
    caller.kind = policy::CallerKind::endUser;
    caller.id = std::move(id);
    caller.role = "user";
    caller.project = project_;
    caller.projectId = ProjectId("proj_test");
    caller.permissions = permissions({"data:*:read", "data:*:list", "data:*:create", "data:*:update", "data:*:delete"});
    return caller;
  }

  snapshot::SnapshotPtr snapshot() {
    auto found = run(snapshots_.byNumber(project_));
    EXPECT_TRUE(found && *found);
    return *found;
  }
  static store::Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }
  Access as(const policy::Caller& caller) { return {caller, snapshot(), Authority::policies, soon()}; }
  Access asAdmin() { return {owner_, snapshot(), Authority::admin, soon()}; }
  AdminAccess managing() { return {owner_, snapshot()}; }

  // ---- setup
  void collection(const std::string& name, std::string_view policy = "", std::string_view schema = "") {
    expectOk(run(data_->collections().create(managing(), name)));
    if (!schema.empty()) expectOk(run(data_->collections().setSchema(managing(), name, json(schema))));
    if (!policy.empty()) expectOk(run(data_->collections().setPolicy(managing(), name, json(policy))));
  }
  void put(const std::string& name, std::string_view document) {
    expectOk(run(data_->documents().create(asAdmin(), name, json(document))));
  }
  // Stores an end user's record.
  void endUser(const std::string& id, std::string_view record) {
    constexpr store::CollectionNo kUsers = 10;
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    const store::Target target = write.change({{project_, kUsers, 0}, id});
    expectOk(run(
        store_.write(std::move(write), [target, record](const store::PreImages&, store::Changes& changes) -> Result<> {
          changes.put(target, json(record));
          return {};
        })));
  }
  // The stored document.
  doc::Document stored(const std::string& name, const std::string& id) {
    const Access access = asAdmin();
    auto found = run(data_->documents().get(access, name, id, {}));
    EXPECT_TRUE(found) << name << "/" << id;
    return found ? std::move(found->document) : doc::Document();
  }

  // ---- requests; results as the caller would read them
  Result<std::string> get(const policy::Caller& caller, const std::string& name, const std::string& id,
                          ReadQuery query = {}) {
    const Access access = as(caller);
    auto found = run(data_->documents().get(access, name, id, query));
    if (!found) return std::unexpected(std::move(found).error());
    return shown(*found);
  }
  Result<std::vector<std::string>> list(const policy::Caller& caller, const std::string& name, ReadQuery query = {}) {
    const Access access = as(caller);
    auto found = run(data_->documents().list(access, name, query));
    if (!found) return std::unexpected(std::move(found).error());
    std::vector<std::string> documents;
    for (const doc::Document& each : found->documents) {
      std::string text;
      doc::writeJson(text, each);
      documents.push_back(std::move(text));
    }
    return documents;
  }
  Result<std::vector<std::string>> listWhere(const policy::Caller& caller, const std::string& name,
                                             std::string_view filter) {
    ReadQuery query;
    query.filter = json(filter);
    return list(caller, name, std::move(query));
  }
  Result<std::string> create(const policy::Caller& caller, const std::string& name, std::string_view body) {
    const Access access = as(caller);
    auto made = run(data_->documents().create(access, name, json(body)));
    if (!made) return std::unexpected(std::move(made).error());
    return shown(*made);
  }
  Result<std::string> patch(const policy::Caller& caller, const std::string& name, const std::string& id,
                            std::string_view body) {
    const Access access = as(caller);
    auto changed = run(data_->documents().update(access, name, id, json(body)));
    if (!changed) return std::unexpected(std::move(changed).error());
    return shown(*changed);
  }
  Result<std::string> replace(const policy::Caller& caller, const std::string& name, const std::string& id,
                              std::string_view body) {
    const Access access = as(caller);
    auto changed = run(data_->documents().replace(access, name, id, json(body)));
    if (!changed) return std::unexpected(std::move(changed).error());
    return shown(*changed);
  }
  Result<> remove(const policy::Caller& caller, const std::string& name, const std::string& id) {
    const Access access = as(caller);
    return run(data_->documents().remove(access, name, id));
  }

  static std::string shown(const VisibleDocument& visible) {
    std::string text;
    doc::writeJson(text, visible.document, visible.hidden.get());
    return text;
  }
  template <class T>
  static void expectOk(const Result<T>& result) {
    EXPECT_TRUE(result) << result.error().message();
  }
  template <class T>
  static void expectError(ErrorCode code, const Result<T>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(code, result.error().code()) << result.error().message();
  }

  // Creates a collection with a unique index on a visible field and one on a denied field, and expects that only the
  // refusal by the visible one names its index.
  void expectUniqueRefusals(const std::string& name) {
    collection(name, R"({"create":{},"read":{"deniedReadFields":["code"]}})");
    for (const char* keys : {R"({"slug":1})", R"({"code":1})"}) {
      NewIndex index;
      index.keys = json(keys);
      index.unique = true;
      index.sparse = true;
      expectOk(run(data_->collections().createIndex(managing(), name, index)));
    }
    expectOk(create(alice_, name, R"({"slug":"a","code":1})"));
    const auto bySlug = create(bob_, name, R"({"slug":"a","code":2})");
    expectError(ErrorCode::conflict, bySlug);
    EXPECT_EQ("the unique index \"slug_1\" already holds this value", bySlug.error().message());
    const auto byCode = create(bob_, name, R"({"slug":"b","code":1})");
    expectError(ErrorCode::conflict, byCode);
    EXPECT_EQ("a value that must be unique is taken", byCode.error().message());
  }

  ManualClock clock_{kStart};
  IdGenerator ids_{clock_};
  Cores cores_{1};
  store::testing::MemoryStore store_;
  snapshot::Snapshots snapshots_{store_, cores_, 10};
  plans::SettablePlan plan_{snapshots_};
  audit::Auditor auditor_{true, ids_, clock_};
  RecordedFields entryFields_;
  OneProject directory_;
  MasterSecret master_{Secret(std::string(32, 'm'))};
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};  // not started
  std::unique_ptr<Data> data_;
  store::ProjectNo project_ = 0;
  policy::Caller alice_;
  policy::Caller bob_;
  policy::Caller owner_;

 private:
  static std::vector<store::SystemCollection> allSystemCollections(std::vector<store::SystemCollection> all) {
    for (store::SystemCollection& each : systemCollections()) all.push_back(std::move(each));
    all.push_back(audit::auditCollection());
    for (store::SystemCollection& each : jobs::systemCollections()) all.push_back(std::move(each));
    return all;
  }
  Task<std::vector<store::ProjectNo>> projectNumbers() { co_return std::vector{project_}; }
};

}  // namespace mb::data
