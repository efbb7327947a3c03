#include "storage/files.h"

#include <gmock/gmock.h>

#include "storage/storage_fixture.h"
#include "storage/storage_rules.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FilesTest : public StorageFixture {
 protected:
  FilesTest() { bucket("pics"); }
};

TEST_F(FilesTest, ComeBackAsTheyWent) {
  const std::string large(700'000, 'x');
  const auto file = put("pics", "a/b", large);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->size, 700'000);
  EXPECT_EQ(text("pics", "a/b"), large);
  EXPECT_TRUE(put("pics", "empty", ""));
  EXPECT_EQ(text("pics", "empty"), "");
  EXPECT_THAT(paths("pics"), ElementsAre("a/b", "empty"));
  EXPECT_EQ(stored(), "2 700000");
}

TEST_F(FilesTest, ALinkEndsNoLaterThanTheKeyThatSignsIt) {
  ASSERT_TRUE(put("pics", "f", "one"));
  const auto signedFor = [&](const policy::Caller& caller, int64_t seconds) {
    const auto link = run(storage_->files().sign(access(caller), "pics", "f", seconds));
    EXPECT_TRUE(link) << link.error().message();
    return link ? link->expiresAt.ms / 1000 - clock_.now().ms / 1000 : -1;
  };
  const auto keyUntil = [&](std::optional<Timestamp> end) {
    const auto issued =
        run(identity_.keys().create(snapshot(shop_)->info(), {"key", {"storage"}, end}, admin(), soon()));
    EXPECT_TRUE(issued);
    policy::Caller caller = callerWith({"storage:read"});
    caller.kind = policy::CallerKind::apiKey;
    caller.id = issued->apiKey.id.str();
    return caller;
  };
  const Timestamp end{clock_.now().ms / 1000 * 1000 + 90'500};
  const policy::Caller ending = keyUntil(end);
  EXPECT_EQ(signedFor(ending, 10), 10);
  EXPECT_EQ(signedFor(ending, 3600), 89);  // its last second ends with the key's life
  EXPECT_EQ(signedFor(keyUntil(std::nullopt), 3600), 3600);
  EXPECT_EQ(signedFor(admin(), 3600), 3600);
  policy::Caller deleted = ending;
  deleted.id = "key_none";
  EXPECT_EQ(codeOf(run(storage_->files().sign(access(deleted), "pics", "f", 10))), "UNAUTHENTICATED");
}

TEST_F(FilesTest, AnOverwriteSwapsAndSweeps) {
  ASSERT_TRUE(put("pics", "f", "one"));
  ASSERT_TRUE(put("pics", "f", "three"));
  EXPECT_EQ(text("pics", "f"), "three");
  EXPECT_EQ(stored(), "1 5");
  ASSERT_TRUE(settles());
  EXPECT_EQ(folder_.files(), named(shop_));
  EXPECT_TRUE(run(storage_->files().remove(access(), "pics", "f")));
  EXPECT_EQ(text("pics", "f"), "NOT_FOUND");
  EXPECT_EQ(stored(), "0 0");
  ASSERT_TRUE(settles());
  EXPECT_THAT(folder_.files(), IsEmpty());
  EXPECT_EQ(storage_->sweeper().removed(), 2u);
}

TEST_F(FilesTest, AnUploadThatIsCutLeavesTheOldFile) {
  ASSERT_TRUE(put("pics", "f", "old"));
  for (const size_t after : {size_t{0}, size_t{1000}, size_t{500'000}}) {
    TextUpload upload(std::string(900'000, 'n'), 1000, after);
    EXPECT_EQ(codeOf(run(storage_->files().put(access(), "pics", "f", {"text/plain"}, upload))), "REQUEST_TIMEOUT");
  }
  EXPECT_EQ(text("pics", "f"), "old");
  ASSERT_TRUE(run(storage_->sweeper().pass()));
  EXPECT_EQ(folder_.files(), named(shop_));
}

TEST_F(FilesTest, TooLargeIsRefused) {
  TextUpload upload(std::string(kMaxFileSize + 1, 'x'));
  EXPECT_EQ(codeOf(run(storage_->files().put(access(), "pics", "f", {"text/plain"}, upload))), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(upload.limit, static_cast<uint64_t>(kMaxFileSize));
  EXPECT_TRUE(put("pics", "f", std::string(kMaxFileSize, 'x')));
}

TEST_F(FilesTest, ACommitThatFailsLeavesAnOrphanThatIsSwept) {
  ASSERT_TRUE(put("pics", "f", "old"));
  store_.stopAfter(0);
  EXPECT_FALSE(put("pics", "f", "new"));
  store_.stopAfter(-1);
  EXPECT_EQ(text("pics", "f"), "old");
  EXPECT_THAT(folder_.files(), SizeIs(2));
  EXPECT_EQ(run(storage_->sweeper().pass()).value_or(0), 1u);
  EXPECT_EQ(folder_.files(), named(shop_));
  EXPECT_EQ(storage_->sweeper().orphans(), 1u);
}

TEST_F(FilesTest, NothingIsSweptThatIsHeldOrWhileABackupReads) {
  ASSERT_TRUE(put("pics", "f", "old"));
  store_.stopAfter(0);
  EXPECT_FALSE(put("pics", "f", "new"));
  store_.stopAfter(-1);
  {
    const PinnedBlobs::PinAll pause(storage_->pinnedBlobs());
    EXPECT_EQ(run(storage_->sweeper().pass()).value_or(9), 0u);
    ASSERT_TRUE(put("pics", "f", "newer"));
    ASSERT_TRUE(settles());
    EXPECT_THAT(folder_.files(), SizeIs(3));
  }
  std::optional<PinnedBlobs::Pin> pin;
  for (const std::string& blob : folder_.files()) {
    if (!named(shop_).contains(blob) && !pin) pin.emplace(storage_->pinnedBlobs(), blob);
  }
  EXPECT_EQ(run(storage_->sweeper().pass()).value_or(9), 1u);
  pin.reset();
  EXPECT_EQ(run(storage_->sweeper().pass()).value_or(9), 1u);
  EXPECT_EQ(folder_.files(), named(shop_));
}

TEST_F(FilesTest, ABucketTakesItsFilesAlong) {
  bucket("other");
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(put("pics", fmt::format("f{}", i), "x"));
  ASSERT_TRUE(put("other", "stays", "x"));
  ASSERT_TRUE(run(storage_->files().createFolder(access(), "pics", "folder")));
  ASSERT_TRUE(run(storage_->buckets().remove(access(), "pics")));
  EXPECT_EQ(text("pics", "f1"), "NOT_FOUND");
  ASSERT_TRUE(settles());
  EXPECT_THAT(named(shop_), SizeIs(1));
  EXPECT_EQ(folder_.files(), named(shop_));
  EXPECT_THAT(memory_.all({shop_, kFolders, 0}), IsEmpty());
  EXPECT_EQ(stored(), "1 1");
}

TEST_F(FilesTest, ARecordOfABucketThatIsGoneIsSweptToo) {
  ASSERT_TRUE(put("pics", "f", "x"));
  FileRecord late;
  late.id = fileKey("bkt_gone", "f");
  late.bucket = "bkt_gone";
  late.blob = *folder_.files().begin();
  late.size = 7;
  // An upload that ended just after its bucket was deleted: with its own blob.
  const std::string blob = newBlobName(shop_);
  late.blob = blob;
  std::filesystem::copy_file(folder_.path() / "files" / blobPath(*folder_.files().begin()),
                             folder_.path() / "files" / blobPath(blob));
  store::Write write({});
  write.insert({{shop_, kFiles, 0}, doc::encode(late)});
  ASSERT_TRUE(run(memory_.write(std::move(write), nullptr)));
  ASSERT_TRUE(run(storage_->sweeper().pass()));
  ASSERT_TRUE(settles());
  EXPECT_THAT(named(shop_), SizeIs(1));
  EXPECT_EQ(folder_.files(), named(shop_));
}

TEST_F(FilesTest, APurgedProjectsFilesGo) {
  ASSERT_TRUE(put("pics", "f", "x"));
  forget(shop_);
  EXPECT_EQ(run(storage_->sweeper().pass()).value_or(0), 1u);
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(FilesTest, EndUsersReachTheirOwn) {
  const policy::Caller alice = endUser("user_a");
  const policy::Caller bob = endUser("user_b");
  ASSERT_TRUE(put("pics", "a", "x", alice));
  EXPECT_EQ(text("pics", "a", alice), "x");
  EXPECT_EQ(text("pics", "a", bob), "NOT_FOUND");
  EXPECT_EQ(codeOf(put("pics", "a", "y", bob)), "FORBIDDEN");
  EXPECT_EQ(codeOf(run(storage_->files().remove(access(bob), "pics", "a"))), "NOT_FOUND");
  EXPECT_THAT(paths("pics", "", bob), IsEmpty());
  EXPECT_THAT(paths("pics", "", endUser("user_c", "editor")), ElementsAre("a"));
  EXPECT_EQ(text("pics", "a", policy::Caller()), "NOT_FOUND");
}

TEST_F(FilesTest, WhoIsQuickerDoesNotMakeTheOtherLose) {
  // Each finds the other's blob in its commit, and creates its removal again.
  std::vector<std::string> texts;
  for (int round = 0; round < 20; ++round) {
    TextUpload first("first");
    TextUpload second("second!");
    auto one = storage_->files().put(access(), "pics", "f", {"text/plain"}, first);
    auto two = storage_->files().put(access(), "pics", "f", {"text/plain"}, second);
    auto done = std::make_shared<std::promise<bool>>();
    auto ended = done->get_future();
    asio::co_spawn(cores_.at(0).get_executor(), std::move(one),
                   [done](std::exception_ptr, Result<FileView> result) { done->set_value(result.has_value()); });
    EXPECT_TRUE(run(std::move(two)));
    EXPECT_TRUE(ended.get());
  }
  ASSERT_TRUE(settles());
  EXPECT_EQ(folder_.files(), named(shop_));
  EXPECT_THAT(named(shop_), SizeIs(1));
}

}  // namespace
}  // namespace mb::storage
