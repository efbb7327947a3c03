// Rules of buckets on each way to a file.
#include <gmock/gmock.h>

#include "storage/storage_fixture.h"
#include "storage/storage_rules.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Runs `before` when it is read, as a client does something else during its upload.
class InterruptedUpload final : public Upload {
 public:
  InterruptedUpload(std::string text, std::function<Task<>()> before)
      : text_(std::move(text)), before_(std::move(before)) {}
  Task<std::string_view> read() override {
    if (const auto before = std::exchange(before_, nullptr)) CO_RETURN_IF_ERROR(co_await before());
    co_return std::exchange(rest_, {});
  }
  void setLimit(uint64_t) override {}

 private:
  const std::string text_;
  std::string_view rest_ = text_;
  std::function<Task<>()> before_;
};

class FileAccessTest : public StorageFixture {
 protected:
  const policy::Caller alice_ = endUser("user_a");
  const policy::Caller bob_ = endUser("user_b");

  Result<> rules(const std::string& bucket, std::string_view text, std::optional<std::string> readers = std::nullopt) {
    BucketPatch patch{std::move(readers), {doc::Patch<doc::Document>::State::value, json(text)}};
    return run(storage_->buckets().change(access(), bucket, std::move(patch)));
  }
  void ruled(const std::string& name, std::string_view text) {
    bucket(name);
    const auto set = rules(name, text);
    EXPECT_TRUE(set) << set.error().message();
  }
  static policy::Caller key(std::vector<std::string> scopes) {
    policy::Caller caller = endUser("key_1", "apikey");
    caller.kind = policy::CallerKind::apiKey;
    caller.scopes = std::move(scopes);
    return caller;
  }
  std::string putCode(const std::string& bucket, const std::string& path, const policy::Caller& caller,
                      std::string metadata = "{}", std::string text = "text") {
    TextUpload upload(std::move(text));
    return codeOf(run(storage_->files().put(access(caller), bucket, path, {"text/plain", json(metadata)}, upload)));
  }
  std::string removeCode(const std::string& bucket, const std::string& path, const policy::Caller& caller) {
    return codeOf(run(storage_->files().remove(access(caller), bucket, path)));
  }
  std::string signCode(const std::string& bucket, const std::string& path, const policy::Caller& caller) {
    return codeOf(run(storage_->files().sign(access(caller), bucket, path, 60)));
  }
  std::string tagCode(const std::string& bucket, const std::string& path, const policy::Caller& caller,
                      std::string_view metadata) {
    return codeOf(run(storage_->files().setMetadata(access(caller), bucket, path, json(metadata))));
  }
  FileView file(const std::string& bucket, const std::string& path) {
    const auto found = run(storage_->files().list(access(), bucket, {path, 1, 0}));
    EXPECT_TRUE(found && found->files.size() == 1) << path;
    return found && !found->files.empty() ? found->files.front() : FileView();
  }

  Task<> leave(std::string user, std::string team) {
    const policy::Caller caller = admin();
    CO_TRY(const snapshot::SnapshotPtr now, co_await snapshots_.byNumber(shop_));
    const data::Access access{caller, now, data::Authority::admin, soon()};
    const std::string collection = "members";
    const std::string id = fmt::format("{}-{}", user, team);
    co_return co_await data_->documents().remove(access, collection, id);
  }
};

constexpr std::string_view kOwn =
    R"rules({"read":{"filter":{"ownerId":"$auth.uid"}},"list":{"filter":{"ownerId":"$auth.uid"}},
  "create":{"filter":{"ownerId":"$auth.uid"},"validate":"file.size <= 5 && file.path.startsWith('in/')"},
  "update":{"filter":{"ownerId":"$auth.uid"},"validate":"file.metadata != {'locked': true}"},
  "delete":{"filter":{"ownerId":"$auth.uid"},"validate":"!has(file.metadata.kept)"}})rules";

TEST_F(FileAccessTest, RulesHoldOnEveryWay) {
  ruled("docs", kOwn);
  EXPECT_EQ(putCode("docs", "in/a", alice_), "");
  EXPECT_EQ(text("docs", "in/a", alice_), "text");
  EXPECT_EQ(signCode("docs", "in/a", alice_), "");
  EXPECT_THAT(paths("docs", "", alice_), ElementsAre("in/a"));

  EXPECT_EQ(text("docs", "in/a", bob_), "NOT_FOUND");
  EXPECT_EQ(signCode("docs", "in/a", bob_), "NOT_FOUND");
  EXPECT_THAT(paths("docs", "", bob_), IsEmpty());
  EXPECT_EQ(putCode("docs", "in/a", bob_), "NOT_FOUND");
  EXPECT_EQ(tagCode("docs", "in/a", bob_, "{}"), "NOT_FOUND");
  EXPECT_EQ(removeCode("docs", "in/a", bob_), "NOT_FOUND");

  EXPECT_EQ(putCode("docs", "out/a", alice_), "FORBIDDEN");
  EXPECT_EQ(putCode("docs", "in/b", alice_, "{}", "longer"), "FORBIDDEN");
  EXPECT_EQ(tagCode("docs", "in/a", alice_, R"({"locked":true})"), "FORBIDDEN");
  EXPECT_EQ(putCode("docs", "in/a", alice_, R"({"locked":true})"), "FORBIDDEN");
  EXPECT_EQ(tagCode("docs", "in/a", alice_, R"({"kept":1})"), "");
  EXPECT_EQ(removeCode("docs", "in/a", alice_), "FORBIDDEN");
  EXPECT_EQ(tagCode("docs", "in/a", alice_, "{}"), "");
  EXPECT_EQ(removeCode("docs", "in/none", alice_), "NOT_FOUND");
  EXPECT_EQ(removeCode("docs", "in/a", alice_), "");
  EXPECT_EQ(stored(), "0 0");
}

TEST_F(FileAccessTest, AnOperationWithoutARuleIsRefused) {
  ruled("docs", R"({"read":{}})");
  ASSERT_TRUE(put("docs", "a", "x"));
  EXPECT_EQ(text("docs", "a", alice_), "x");
  EXPECT_EQ(codeOf(run(storage_->files().list(access(alice_), "docs", {"", 10, 0}))), "FORBIDDEN");
  EXPECT_EQ(putCode("docs", "a", alice_), "FORBIDDEN");
  EXPECT_EQ(putCode("docs", "b", alice_), "FORBIDDEN");
  EXPECT_EQ(tagCode("docs", "none", alice_, "{}"), "FORBIDDEN");
  EXPECT_EQ(removeCode("docs", "none", alice_), "FORBIDDEN");
  policy::Caller without = alice_;
  without.permissions = std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"data:*"});
  EXPECT_EQ(text("docs", "a", without), "FORBIDDEN");
}

TEST_F(FileAccessTest, HoldForAllButManagersAndServerKeys) {
  ruled("docs", R"({"read":{"filter":{"ownerId":"$auth.uid"}}})");
  ASSERT_TRUE(put("docs", "a", "x"));
  EXPECT_EQ(text("docs", "a", endUser("user_c", "editor")), "NOT_FOUND");
  EXPECT_EQ(text("docs", "a", callerWith({"storage:read", "storage:write"})), "x");  // the same member
  policy::Caller viewer = callerWith({"storage:read"});
  viewer.id = "user_viewer";
  EXPECT_EQ(text("docs", "a", viewer), "NOT_FOUND");
  viewer.permissions = std::make_shared<const policy::PermissionSet>(std::vector<std::string>{"storage:manage"});
  EXPECT_EQ(text("docs", "a", viewer), "x");
  EXPECT_EQ(text("docs", "a", key({"storage"})), "NOT_FOUND");
  EXPECT_EQ(text("docs", "a", key({"read", "storage"})), "NOT_FOUND");
  EXPECT_EQ(text("docs", "a", key({"admin"})), "x");
  EXPECT_EQ(text("docs", "a", key({"service"})), "x");
  EXPECT_EQ(text("docs", "a", policy::Caller()), "NOT_FOUND");
}

TEST_F(FileAccessTest, AnOverwriteKeepsOwnerAndMetadata) {
  ruled("docs", R"({"create":{},"update":{}})");
  ASSERT_EQ(putCode("docs", "a", alice_, R"({"album":"one"})"), "");
  TextUpload upload("by bob");
  ASSERT_TRUE(run(storage_->files().put(access(bob_), "docs", "a", {"text/plain"}, upload)));
  EXPECT_EQ(file("docs", "a").ownerId, "user_a");
  EXPECT_EQ(doc::toJson(file("docs", "a").metadata), R"({"album":"one"})");
  ASSERT_EQ(putCode("docs", "a", bob_, R"({})"), "");
  EXPECT_EQ(doc::toJson(file("docs", "a").metadata), "{}");
  bucket("free");
  ASSERT_TRUE(put("free", "a", "x", alice_));
  ASSERT_TRUE(put("free", "a", "y"));
  EXPECT_EQ(file("free", "a").ownerId, "user_admin");
}

TEST_F(FileAccessTest, MetadataIsBounded) {
  bucket("docs");
  ASSERT_TRUE(put("docs", "a", "x"));
  const std::string large = fmt::format(R"({{"a":"{}"}})", std::string(2041, 'x'));
  EXPECT_EQ(tagCode("docs", "a", admin(), large), "VALIDATION");
  EXPECT_EQ(putCode("docs", "a", admin(), large), "VALIDATION");
  EXPECT_EQ(tagCode("docs", "a", admin(), fmt::format(R"({{"a":"{}"}})", std::string(2040, 'x'))), "");
  EXPECT_EQ(tagCode("docs", "none", admin(), "{}"), "NOT_FOUND");
  EXPECT_EQ(text("docs", "a"), "x");
  EXPECT_FALSE(parseMetadata("[]"));
  EXPECT_FALSE(parseMetadata("{"));
  EXPECT_FALSE(parseMetadata(large));
  EXPECT_TRUE(parseMetadata(R"( {"a": [1]} )"));
}

TEST_F(FileAccessTest, SetsAreThoseOfTheCommit) {
  teams();
  ruled("docs", R"({"read":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}},
    "list":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}},
    "create":{"validate":"file.metadata.team in auth.sets.teams"}})");
  ASSERT_EQ(putCode("docs", "a", alice_, R"({"team":"red"})"), "");
  EXPECT_EQ(putCode("docs", "b", alice_, R"({"team":"blue"})"), "FORBIDDEN");
  EXPECT_EQ(putCode("docs", "b", bob_, R"({"team":"red"})"), "FORBIDDEN");
  EXPECT_EQ(text("docs", "a", alice_), "text");
  EXPECT_EQ(text("docs", "a", bob_), "NOT_FOUND");
  EXPECT_THAT(paths("docs", "", alice_), ElementsAre("a"));
  EXPECT_THAT(paths("docs", "", bob_), IsEmpty());
  join("user_b", "red");
  EXPECT_EQ(text("docs", "a", bob_), "text");

  InterruptedUpload upload("late", [this] { return leave("user_a", "red"); });
  const auto late =
      run(storage_->files().put(access(alice_), "docs", "late", {"text/plain", json(R"({"team":"red"})")}, upload));
  EXPECT_EQ(codeOf(late), "FORBIDDEN");
  EXPECT_EQ(text("docs", "a", alice_), "NOT_FOUND");
  EXPECT_THAT(paths("docs", ""), ElementsAre("a"));
}

TEST_F(FileAccessTest, RulesAreThoseOfTheCommit) {
  ruled("docs", R"({"create":{}})");
  InterruptedUpload upload("late", [this]() -> Task<> {
    CO_TRY(const snapshot::SnapshotPtr now, co_await snapshots_.byNumber(shop_));
    BucketPatch patch{std::nullopt, {doc::Patch<doc::Document>::State::value, json(R"({"read":{}})")}};
    co_return co_await storage_->buckets().change({{admin(), now, soon()}}, "docs", std::move(patch));
  });
  EXPECT_EQ(codeOf(run(storage_->files().put(access(alice_), "docs", "late", {"text/plain"}, upload))), "FORBIDDEN");
  // A file that was created since the first check makes the upload an update.
  ruled("more", R"({"create":{},"update":{"filter":{"ownerId":"$auth.uid"}}})");
  InterruptedUpload second("late", [this]() -> Task<> {
    CO_TRY(const snapshot::SnapshotPtr now, co_await snapshots_.byNumber(shop_));
    TextUpload first("first");
    CO_RETURN_IF_ERROR(co_await storage_->files().put({{bob_, now, soon()}}, "more", "f", {"text/plain"}, first));
    co_return Result<>();
  });
  EXPECT_EQ(codeOf(run(storage_->files().put(access(alice_), "more", "f", {"text/plain"}, second))), "NOT_FOUND");
  EXPECT_EQ(text("more", "f"), "first");
}

TEST_F(FileAccessTest, ASetThatARuleNamesStays) {
  teams();
  EXPECT_EQ(codeOf(rules("none", "{}")), "NOT_FOUND");
  bucket("docs");
  EXPECT_EQ(codeOf(rules("docs", R"({"read":{"filter":{"metadata.t":{"$in":"$auth.sets.other"}}}})")), "VALIDATION");
  EXPECT_TRUE(rules("docs", R"({"read":{"filter":{"metadata.t":{"$in":"$auth.sets.teams"}}}})"));
  const policy::Caller caller = admin();
  const auto removed = run(data_->policySets().remove({caller, snapshot(shop_)}, "teams"));
  EXPECT_EQ(codeOf(removed), "CONFLICT");
  EXPECT_TRUE(removed.error().message().contains("the bucket docs")) << removed.error().message();
  EXPECT_TRUE(rules("docs", "{}"));
  EXPECT_TRUE(run(data_->policySets().remove({caller, snapshot(shop_)}, "teams")));
}

TEST_F(FileAccessTest, APublicBucketHasNoReadRule) {
  ruled("docs", R"({"read":{},"list":{}})");
  EXPECT_EQ(codeOf(run(storage_->buckets().change(access(), "docs", {"public", {}}))), "VALIDATION");
  EXPECT_TRUE(rules("docs", R"({"list":{}})", "public"));
  EXPECT_EQ(codeOf(rules("docs", R"({"read":{}})")), "VALIDATION");
  EXPECT_EQ(codeOf(run(storage_->buckets().change(access(), "docs", {}))), "VALIDATION");
  ASSERT_TRUE(put("docs", "a", "x"));
  EXPECT_EQ(text("docs", "a", alice_), "x");
  EXPECT_EQ(text("docs", "a", policy::Caller()), "x");
  EXPECT_THAT(paths("docs", "", alice_), ElementsAre("a"));
}

TEST_F(FileAccessTest, ListsArePagesOfWhatTheRuleCovers) {
  ruled("docs", R"({"list":{"filter":{"metadata.shown":true}}})");
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(putCode("docs", fmt::format("f{:02}", i), admin(), i % 2 == 0 ? R"({"shown":true})" : "{}"), "");
  }
  const auto page = [&](std::string prefix, uint64_t limit, uint64_t skip) {
    const auto found = run(storage_->files().list(access(alice_), "docs", {std::move(prefix), limit, skip}));
    std::vector<std::string> paths;
    for (const FileView& each : found->files) paths.push_back(each.path);
    return paths;
  };
  EXPECT_THAT(page("", 3, 0), ElementsAre("f00", "f02", "f04"));
  EXPECT_THAT(page("", 3, 8), ElementsAre("f16", "f18"));
  EXPECT_THAT(page("f1", 2, 1), ElementsAre("f12", "f14"));
  EXPECT_THAT(page("", 0, 0), IsEmpty());
  ASSERT_TRUE(run(storage_->files().createFolder(access(), "docs", "folder")));
  EXPECT_THAT(run(storage_->files().list(access(), "docs", {"", 1, 0}))->folders, ElementsAre("folder"));
  EXPECT_THAT(run(storage_->files().list(access(alice_), "docs", {"", 1, 0}))->folders, IsEmpty());
  EXPECT_EQ(codeOf(run(storage_->files().createFolder(access(alice_), "docs", "other"))), "FORBIDDEN");
}

TEST_F(FileAccessTest, AListEvaluatesABoundedNumberOfFiles) {
  ruled("docs", R"({"list":{"filter":{"metadata.shown":true}},"read":{}})");
  const std::string bucketId = snapshot(shop_)->get(storage_->slot()).find("docs")->record.bucketId;
  static_assert(kMaxListed % 1000 == 0);
  store::Write files({});
  for (uint64_t i = 0; i <= kMaxListed; ++i) {
    FileRecord record;
    record.bucket = bucketId;
    record.path = fmt::format("{}/{:05}", i < 10 ? "few" : "many", i);
    record.id = fileKey(bucketId, record.path);
    record.owner = i < 10 ? "user_a" : "user_b";
    // Each write copies the whole store.
    files.insert({{shop_, kFiles, 0}, doc::encode(record)});
    if (i % 1000 != 0) continue;
    ASSERT_TRUE(run(memory_.write(std::exchange(files, store::Write({})), nullptr)));
  }
  const auto list = [&](std::string prefix) {
    return codeOf(run(storage_->files().list(access(alice_), "docs", {std::move(prefix), 10, 0})));
  };
  EXPECT_EQ(list(""), "QUERY_TOO_COSTLY");
  EXPECT_EQ(list("many"), "");
  EXPECT_EQ(list("few"), "");
  ASSERT_TRUE(rules("docs", R"({"list":{"filter":{"ownerId":"$auth.uid","metadata.shown":true}}})"));
  EXPECT_EQ(list(""), "");
  ASSERT_TRUE(rules("docs", R"({"list":{}})"));
  EXPECT_EQ(list(""), "");
}

TEST_F(FileAccessTest, ResumableUploadsAreEvaluatedEachTime) {
  ruled("docs", R"({"create":{"validate":"file.size <= 20 && file.metadata.kind == 'a'"}})");
  const auto create = [&](int64_t length, std::string_view metadata) {
    return run(storage_->uploads().create(access(alice_), "docs", "f", {length, {"text/plain", json(metadata)}, ""}));
  };
  EXPECT_EQ(codeOf(create(21, R"({"kind":"a"})")), "FORBIDDEN");
  EXPECT_EQ(codeOf(create(20, R"({"kind":"b"})")), "FORBIDDEN");
  const auto upload = create(20, R"({"kind":"a"})");
  ASSERT_TRUE(upload);
  const auto append = [&](int64_t offset) {
    TextUpload body(std::string(10, 'x'));
    return codeOf(run(storage_->uploads().append(access(alice_), "docs", "f", upload->id, offset, body)));
  };
  EXPECT_EQ(append(0), "");
  ASSERT_TRUE(rules("docs", R"({"read":{}})"));
  EXPECT_EQ(append(10), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(storage_->uploads().find(access(alice_), "docs", "f", upload->id))), "FORBIDDEN");
  ASSERT_TRUE(rules("docs", R"({"create":{}})"));
  EXPECT_EQ(append(10), "");
  EXPECT_EQ(doc::toJson(file("docs", "f").metadata), R"({"kind":"a"})");
  EXPECT_EQ(file("docs", "f").ownerId, "user_a");
  // There is no rule for an update, but the upload is done.
  EXPECT_EQ(codeOf(run(storage_->uploads().find(access(alice_), "docs", "f", upload->id))), "");
}

}  // namespace
}  // namespace mb::storage
