// A project with buckets on an in-memory store, and files in a temporary directory, for this module's tests.
#pragma once

#include <fstream>

#include "base/log.h"
#include "configuration/random_configuration_fixture.h"
#include "storage/bucket_kind.h"
#include "storage/local_store.h"
#include "storage/storage.h"

namespace mb::storage {

// A test's upload, in pieces of at most `piece` bytes; fails after `failsAfter` bytes.
class TextUpload final : public Upload {
 public:
  explicit TextUpload(std::string text, size_t piece = 1000, std::optional<size_t> failsAfter = std::nullopt)
      : text_(std::move(text)), piece_(piece), failsAfter_(failsAfter) {}
  Task<std::string_view> read() override {
    if (failsAfter_ && at_ >= *failsAfter_) co_return fail(ErrorCode::requestTimeout, "the client is gone");
    const std::string_view piece = std::string_view(text_).substr(at_, piece_);
    at_ += piece.size();
    co_return piece;
  }
  void setLimit(uint64_t max) override { limit = max; }

  uint64_t limit = 0;

 private:
  const std::string text_;
  const size_t piece_;
  const std::optional<size_t> failsAfter_;
  size_t at_ = 0;
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "mb-storage-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  // The names of all files below the directory.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) names.insert(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string textOf(const std::shared_ptr<const Descriptor>& file) {
  std::string text(1 << 20, '\0');
  const ssize_t got = ::pread(file->get(), text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

class StorageFixture : public configuration::RandomConfigurationFixture {
 protected:
  static constexpr int64_t kMaxFileSize = 1'000'000;

  StorageFixture() : RandomConfigurationFixture(systemCollections()) {
    configureLog(LogLevel::off, LogFormat::text);
    auto local = LocalStore::open(folder_.path() / "files");
    EXPECT_TRUE(local) << local.error().message();
    storage_.emplace(StorageDeps{store_, snapshots_, *data_, snapshots_.addSlot<projects::ProjectRecord>(records_),
                                 snapshots_.addSlot<plans::PlanInForce>(plans_), [this] { return allProjects(); },
                                 queue_, ids_, clock_, auditor_, master_, "https://api.example.com"},
                     *std::move(local));
    configuration_->add(std::make_unique<BucketKind>(storage_->buckets(), data_->slot()));
    queue_.start();
  }
  ~StorageFixture() override {
    store_.stopAfter(-1);
    queue_.stop(std::chrono::seconds(20));
    storage_->blobs().stop();
  }

  Access access(policy::Caller caller) { return {{std::move(caller), snapshot(shop_), soon()}}; }
  Access access() { return access(admin()); }
  static policy::Caller endUser(std::string id, std::string role = "user") {
    policy::Caller caller;
    caller.kind = policy::CallerKind::endUser;
    caller.id = std::move(id);
    caller.role = std::move(role);
    caller.permissions =
        std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"storage:read", "storage:write"});
    return caller;
  }
  void bucket(std::string name, std::string whoReads = "private") {
    const auto made = run(storage_->buckets().create(access(), {std::move(name), std::move(whoReads)}));
    EXPECT_TRUE(made) << made.error().message();
  }
  Result<FileView> put(std::string bucket, std::string path, std::string text,
                       std::optional<policy::Caller> caller = std::nullopt) {
    TextUpload upload(std::move(text));
    return run(storage_->files().put(access(caller ? *std::move(caller) : admin()), std::move(bucket), std::move(path),
                                     {"text/plain"}, upload));
  }
  // The file's content; the error's code where it cannot be read.
  std::string text(std::string bucket, std::string path, std::optional<policy::Caller> caller = std::nullopt) {
    const auto opened = run(storage_->files().open(access(caller ? *std::move(caller) : admin()), std::move(bucket),
                                                   std::move(path), std::nullopt));
    return opened ? textOf(opened->file) : codeOf(opened);
  }
  std::vector<std::string> paths(std::string bucket, std::string prefix = "",
                                 std::optional<policy::Caller> caller = std::nullopt) {
    const auto list = run(storage_->files().list(access(caller ? *std::move(caller) : admin()), std::move(bucket),
                                                 {std::move(prefix), 1000, 0}));
    std::vector<std::string> paths;
    if (list) {
      for (const FileView& file : list->files) paths.push_back(file.path);
    }
    return paths;
  }
  // The blobs that the project's records name.
  std::set<std::string> named(store::ProjectNo project) const {
    std::set<std::string> blobs;
    for (const auto& record : memory_.all({project, kFiles, 0})) blobs.emplace(record.view().stringOr("blob"));
    return blobs;
  }
  bool settles() {
    for (int i = 0; i < 20'000; ++i) {
      if (memory_.all({store::kControlProject, jobs::kJobs, 0}).empty()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  std::string stored() {
    const auto sum = run(storage_->files().stored(shop_));
    return sum ? fmt::format("{} {}", sum->files, sum->bytes) : codeOf(sum);
  }

  // Limits the bytes of the project's files; nullopt: unlimited, as at first.
  void limit(std::optional<int64_t> bytes) {
    plans_.max = bytes.value_or(-1);
    memory_.bumpEpoch(shop_);
  }
  // What counts against the limit.
  int64_t use() { return run(storage_->quota().use(shop_)).value_or(-1); }

  // The set "teams" of the collection "members", in which alice is in the team red.
  void teams() {
    const policy::Caller caller = admin();
    EXPECT_TRUE(run(data_->collections().create({caller, snapshot(shop_)}, "members")));
    data::NewIndex index;
    index.keys = json(R"({"userId":1})");
    EXPECT_TRUE(run(data_->collections().createIndex({caller, snapshot(shop_)}, "members", index)));
    const auto set = run(data_->policySets().set({caller, snapshot(shop_)},
                                                 {"teams", "members", json(R"({"userId":"$auth.uid"})"), "teamId"}));
    EXPECT_TRUE(set) << set.error().message();
    join("user_a", "red");
  }
  void join(const std::string& user, const std::string& team) {
    const policy::Caller caller = admin();
    const std::string body = fmt::format(R"({{"id":"{}-{}","userId":"{}","teamId":"{}"}})", user, team, user, team);
    EXPECT_TRUE(run(
        data_->documents().create({caller, snapshot(shop_), data::Authority::admin, soon()}, "members", json(body))));
  }

  TemporaryFolder folder_;
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  std::optional<Storage> storage_;

 private:
  class Records final : public snapshot::SlotSource {
   public:
    Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
      auto record = std::make_shared<projects::ProjectRecord>();
      record->maxFileSize = kMaxFileSize;
      co_return std::shared_ptr<const void>(std::move(record));
    }
  };
  class Plans final : public snapshot::SlotSource {
   public:
    Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo) override {
      auto plan = std::make_shared<plans::PlanInForce>(plans::PlanInForce{"free", "Free", {}});
      if (max >= 0) plan->limits.at(plans::Limit::storageBytes) = max;
      co_return std::shared_ptr<const void>(std::move(plan));
    }
    std::atomic<int64_t> max = -1;
  };
  Task<std::vector<snapshot::ProjectInfo>> allProjects() { co_return directory_.all(); }
  Records records_;
  Plans plans_;
};

}  // namespace mb::storage
