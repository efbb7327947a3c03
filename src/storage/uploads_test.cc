#include "storage/uploads.h"

#include <gmock/gmock.h>

#include "base/testing.h"
#include "storage/storage_fixture.h"
#include "store/records.h"

namespace mb::storage {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kHour = 3'600'000;

class UploadsTest : public StorageFixture {
 protected:
  UploadsTest() { bucket("pics"); }

  std::string begin(int64_t length) {
    const auto upload = run(storage_->uploads().create(access(), "pics", "f", {length, {"text/plain"}, ""}));
    EXPECT_TRUE(upload) << upload.error().message();
    return upload ? upload->id : "";
  }
  Result<UploadRecord> append(const std::string& id, int64_t offset, std::string text,
                              std::optional<size_t> failsAfter = std::nullopt) {
    TextUpload body(std::move(text), 10, failsAfter);
    return run(storage_->uploads().append(access(), "pics", "f", id, offset, body));
  }
  // The upload's offset; the error's code where it does not exist.
  std::string at(const std::string& id) {
    const auto upload = run(storage_->uploads().find(access(), "pics", "f", id));
    return upload ? std::to_string(upload->offset) : codeOf(upload);
  }
  size_t count(store::CollectionNo collection) { return memory_.all({shop_, collection, 0}).size(); }
  bool until(const std::function<bool()>& condition) {
    return mb::until([&] {
      queue_.wake();
      return condition();
    });
  }
};

TEST_F(UploadsTest, PiecesBecomeOneFile) {
  const std::string id = begin(30);
  EXPECT_EQ(at(id), "0");
  ASSERT_TRUE(append(id, 0, std::string(7, 'a')));
  ASSERT_TRUE(append(id, 7, std::string(13, 'b')));
  EXPECT_EQ(at(id), "20");
  EXPECT_EQ(text("pics", "f"), "NOT_FOUND");
  ASSERT_TRUE(append(id, 20, std::string(10, 'c')));
  EXPECT_EQ(text("pics", "f"), std::string(7, 'a') + std::string(13, 'b') + std::string(10, 'c'));
  EXPECT_EQ(at(id), "30");
  EXPECT_EQ(stored(), "1 30");
  EXPECT_TRUE(until([&] { return folder_.files() == named(shop_) && count(kPieces) == 0; }));
}

TEST_F(UploadsTest, HasABoundOfPieces) {
  const std::string id = begin(30);
  ASSERT_TRUE(append(id, 0, "a"));
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
  const store::Target row = write.change({shop_, kUploads, 0}, id);
  ASSERT_TRUE(
      run(memory_.write(std::move(write), [row](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(std::optional<UploadRecord> upload, store::fromStore<UploadRecord>(before[row]));
        EXPECT_EQ(upload->pieces, 1);
        upload->pieces = kMaxPieces;
        changes.put(row, doc::encode(*upload));
        return {};
      })));
  EXPECT_EQ(codeOf(append(id, 1, "b")), "CONFLICT");
  EXPECT_EQ(at(id), "1");
}

TEST_F(UploadsTest, OneOfOnePieceIsNotCopied) {
  const std::string id = begin(30);
  ASSERT_TRUE(append(id, 0, std::string(30, 'a')));
  EXPECT_THAT(folder_.files(), SizeIs(1));
  EXPECT_EQ(folder_.files(), named(shop_));
}

TEST_F(UploadsTest, WhatCameBeforeABreakStays) {
  const std::string id = begin(30);
  EXPECT_EQ(codeOf(append(id, 0, std::string(30, 'a'), 20)), "REQUEST_TIMEOUT");
  EXPECT_EQ(at(id), "20");
  EXPECT_EQ(codeOf(append(id, 20, std::string(10, 'a'), 0)), "REQUEST_TIMEOUT");
  EXPECT_EQ(at(id), "20");
  // All bytes had been received, though not the end of the body.
  ASSERT_TRUE(append(id, 20, std::string(10, 'b'), 10));
  EXPECT_EQ(text("pics", "f"), std::string(20, 'a') + std::string(10, 'b'));
}

TEST_F(UploadsTest, TooMuchIsRefusedWhole) {
  const std::string id = begin(30);
  EXPECT_EQ(codeOf(append(id, 0, std::string(31, 'a'))), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(at(id), "0");
  EXPECT_THAT(folder_.files(), IsEmpty());
}

// Both had the same offset; a sweeper pass removes the bytes of the slower one.
TEST_F(UploadsTest, OfTwoAtOnceOneIsTaken) {
  const std::string id = begin(30);
  int taken = 0;
  std::vector<std::thread> clients;
  std::mutex mutex;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      const auto done = append(id, 0, std::string(20, 'a'));
      const std::scoped_lock lock(mutex);
      if (done) {
        ++taken;
      } else {
        EXPECT_EQ(codeOf(done), "CONFLICT");
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(at(id), "20");
  ASSERT_TRUE(run(storage_->sweeper().pass()));
  EXPECT_THAT(folder_.files(), SizeIs(1));
}

TEST_F(UploadsTest, ASweepLeavesPiecesAlone) {
  const std::string id = begin(30);
  ASSERT_TRUE(append(id, 0, std::string(20, 'a')));
  const auto swept = run(storage_->sweeper().pass());
  EXPECT_EQ(swept.value_or(99), 0u);
  ASSERT_TRUE(append(id, 20, std::string(10, 'b')));
  EXPECT_EQ(text("pics", "f"), std::string(20, 'a') + std::string(10, 'b'));
}

TEST_F(UploadsTest, ExpireADayAfterTheirLastByte) {
  const std::string id = begin(30);
  const std::string untouched = begin(5);
  clock_.advance(20 * kHour);
  ASSERT_TRUE(append(id, 0, std::string(20, 'a')));
  clock_.advance(5 * kHour);
  EXPECT_TRUE(until([&] { return count(kUploads) == 1; }));
  EXPECT_EQ(at(untouched), "NOT_FOUND");
  EXPECT_EQ(at(id), "20");
  clock_.advance(20 * kHour);
  EXPECT_EQ(at(id), "NOT_FOUND");
  EXPECT_EQ(codeOf(append(id, 20, "b")), "NOT_FOUND");
  EXPECT_TRUE(until([&] { return count(kUploads) == 0 && count(kPieces) == 0 && folder_.files().empty(); }));
}

TEST_F(UploadsTest, GivenUpTheyLeaveNothing) {
  const std::string id = begin(30);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(append(id, i * 5, "abcde"));
  ASSERT_TRUE(run(storage_->uploads().remove(access(), "pics", "f", id)));
  EXPECT_EQ(at(id), "NOT_FOUND");
  EXPECT_EQ(codeOf(append(id, 15, "abcde")), "NOT_FOUND");
  EXPECT_TRUE(until([&] { return count(kPieces) == 0 && folder_.files().empty(); }));
}

TEST_F(UploadsTest, AreBoundedForEachOwner) {
  for (size_t i = 0; i < kMaxUploads; ++i) begin(30);
  EXPECT_EQ(codeOf(run(storage_->uploads().create(access(), "pics", "g", {30, {"text/plain"}, ""}))), "CONFLICT");
  EXPECT_TRUE(run(storage_->uploads().create(access(endUser("user_a")), "pics", "g", {30, {"text/plain"}, ""})));
}

TEST_F(UploadsTest, EndWithTheirBucket) {
  const std::string id = begin(30);
  ASSERT_TRUE(append(id, 0, "abcde"));
  ASSERT_TRUE(run(storage_->buckets().remove(access(), "pics")));
  EXPECT_EQ(codeOf(append(id, 5, "abcde")), "NOT_FOUND");
  bucket("pics");
  EXPECT_EQ(codeOf(append(id, 5, "abcde")), "NOT_FOUND");
}

}  // namespace
}  // namespace mb::storage
