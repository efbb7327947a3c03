#include "storage/storage_quota.h"

#include <gmock/gmock.h>

#include <latch>
#include <limits>

#include "base/testing.h"
#include "storage/storage_fixture.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Declares its size if `declared`; counts its reads. With `between` it has two halves, and runs that before the second.
class ObservedUpload final : public Upload {
 public:
  ObservedUpload(std::string text, bool declared, std::function<Task<>()> between = nullptr)
      : text_(std::move(text)), declared_(declared), between_(std::move(between)) {}
  Task<std::string_view> read() override {
    ++reads;
    if (declared_ && text_.size() > limit_) co_return fail(ErrorCode::payloadTooLarge, "too large");
    if (reads == 2 && between_) CO_RETURN_IF_ERROR(co_await between_());
    const std::string_view piece = left_.substr(0, reads == 1 && between_ ? (text_.size() + 1) / 2 : left_.size());
    left_.remove_prefix(piece.size());
    co_return piece;
  }
  void setLimit(uint64_t max) override { limit_ = max; }
  std::optional<uint64_t> size() const override {
    return declared_ ? std::optional<uint64_t>(text_.size()) : std::nullopt;
  }
  int reads = 0;

 private:
  const std::string text_;
  const bool declared_;
  const std::function<Task<>()> between_;
  std::string_view left_ = text_;
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
};

class StorageQuotaTest : public StorageFixture {
 protected:
  StorageQuotaTest() { bucket("pics"); }

  Task<FileView> putting(std::string path, Upload& upload) {
    return storage_->files().put(access_, "pics", std::move(path), {"text/plain"}, upload);
  }
  // Later calls of putting() use the plan as it is now.
  void limitTo(std::optional<int64_t> bytes) {
    limit(bytes);
    access_ = access();
  }
  Result<FileView> putDeclared(std::string path, size_t size) {
    ObservedUpload upload(std::string(size, 'x'), true);
    return run(putting(std::move(path), upload));
  }
  Result<UploadRecord> begin(std::string path, int64_t length) {
    return run(storage_->uploads().create(access(), "pics", std::move(path), {length, {"text/plain"}, ""}));
  }
  Result<UploadRecord> append(std::string path, const std::string& id, int64_t offset, std::string text) {
    TextUpload body(std::move(text));
    return run(storage_->uploads().append(access(), "pics", std::move(path), id, offset, body));
  }
  size_t uploads() const { return memory_.all({shop_, kUploads, 0}).size(); }
  bool until(const std::function<bool()>& condition) {
    return mb::until([&] {
      queue_.wake();
      return condition();
    });
  }
  template <class T>
  static std::string messageOf(const Result<T>& result) {
    return result ? std::string() : result.error().message();
  }

  Access access_ = access();
};

TEST_F(StorageQuotaTest, PermitsReserveUpToTheLimitTogether) {
  StorageQuota& quota = storage_->quota();
  StorageQuota::Permit one(quota, shop_);
  EXPECT_TRUE(one.raise(60, 10, 100));
  {
    StorageQuota::Permit two(quota, shop_);
    EXPECT_FALSE(two.raise(31, 10, 100));
    EXPECT_TRUE(two.raise(30, 10, 100));
    EXPECT_FALSE(one.raise(61, 10, 100));
    EXPECT_TRUE(one.raise(60, 10, 0));  // which it has
    EXPECT_TRUE(one.raise(-5, 10, 0));
    StorageQuota::Permit other(quota, shop_ + 1);
    EXPECT_TRUE(other.raise(100, 0, 100));
    EXPECT_EQ(quota.reserved(shop_), 90);
  }
  EXPECT_EQ(quota.reserved(shop_), 60);
  EXPECT_EQ(quota.reserved(shop_ + 1), 0);
  EXPECT_TRUE(one.raise(90, 10, 100));
  one.release();
  EXPECT_EQ(quota.reserved(shop_), 0);
  EXPECT_FALSE(one.raise(1, std::numeric_limits<int64_t>::max(), 0));
}

TEST_F(StorageQuotaTest, AFileFitsUpToTheLimitExactly) {
  limitTo(100);
  ASSERT_TRUE(putDeclared("a", 60));
  const auto refused = putDeclared("b", 41);
  EXPECT_EQ(codeOf(refused), "PLAN_LIMIT");
  EXPECT_EQ(meaningOf(refused.error().code()).status, 403);
  EXPECT_EQ(messageOf(refused), "plan limit: storageBytes: the plan Free allows 100 bytes of files, in use are 60");
  ASSERT_TRUE(putDeclared("b", 40));
  EXPECT_EQ(codeOf(putDeclared("c", 1)), "PLAN_LIMIT");
  EXPECT_TRUE(putDeclared("c", 0));
  EXPECT_EQ(use(), 100);
  ASSERT_TRUE(run(storage_->files().remove(access(), "pics", "a")));
  EXPECT_EQ(codeOf(putDeclared("c", 61)), "PLAN_LIMIT");
  EXPECT_TRUE(putDeclared("c", 60));
  limitTo(std::nullopt);
  EXPECT_TRUE(putDeclared("d", 5000));
  EXPECT_EQ(use(), 5100);
}

TEST_F(StorageQuotaTest, AMaxFileSizeIsMetFirst) {
  limitTo(kMaxFileSize + 10);
  ASSERT_TRUE(putDeclared("other", 10));
  const std::string large(kMaxFileSize + 1, 'x');
  ObservedUpload declared(large, true);
  ObservedUpload chunked(large, false);
  EXPECT_EQ(codeOf(run(putting("f", declared))), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(codeOf(run(putting("f", chunked))), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(codeOf(begin("f", kMaxFileSize + 1)), "PAYLOAD_TOO_LARGE");
  limitTo(20);
  ObservedUpload past(large, true);
  EXPECT_EQ(codeOf(run(putting("f", past))), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(folder_.files(), named(shop_));
}

TEST_F(StorageQuotaTest, ADeclaredSizeIsRefusedUnread) {
  limitTo(100);
  ObservedUpload upload(std::string(101, 'x'), true);
  EXPECT_EQ(codeOf(run(putting("f", upload))), "PLAN_LIMIT");
  EXPECT_EQ(upload.reads, 0);
  // Of an unknown size the bytes are counted as they arrive.
  TextUpload chunked(std::string(101, 'x'), 10);
  EXPECT_EQ(codeOf(run(putting("f", chunked))), "PLAN_LIMIT");
  EXPECT_THAT(folder_.files(), IsEmpty());
  TextUpload fits(std::string(100, 'x'), 10);
  EXPECT_TRUE(run(putting("f", fits)));
  EXPECT_EQ(storage_->quota().reserved(shop_), 0);
}

TEST_F(StorageQuotaTest, WhatIsBeingReceivedIsReserved) {
  limitTo(100);
  ObservedUpload second(std::string(41, 'y'), true);
  ObservedUpload third(std::string(40, 'z'), true);
  std::vector<std::string> codes;
  ObservedUpload first(std::string(60, 'x'), true, [&]() -> Task<> {
    codes.push_back(codeOf(co_await putting("second", second)));
    codes.push_back(codeOf(co_await putting("third", third)));
    const auto upload = co_await storage_->uploads().create(access_, "pics", "fourth", {1, {"text/plain"}, ""});
    codes.push_back(codeOf(upload));
    co_return Result<>();
  });
  ASSERT_TRUE(run(putting("first", first)));
  EXPECT_THAT(codes, ElementsAre("PLAN_LIMIT", "", "PLAN_LIMIT"));
  EXPECT_EQ(second.reads, 0);
  EXPECT_EQ(use(), 100);
  EXPECT_EQ(storage_->quota().reserved(shop_), 0);
}

TEST_F(StorageQuotaTest, ASmallFileReservesNothingWhileHalfIsFree) {
  limitTo(100);
  std::vector<int64_t> reserved;
  const auto put = [&](std::string path, int64_t size) {
    ObservedUpload body(std::string(static_cast<size_t>(size), 'x'), true, [&]() -> Task<> {
      reserved.push_back(storage_->quota().reserved(shop_));
      co_return Result<>();
    });
    EXPECT_TRUE(run(putting(std::move(path), body)));
  };
  put("a", 50);
  put("b", 1);
  EXPECT_THAT(reserved, ElementsAre(0, 1));
  limitTo(1 << 20);
  put("c", 64 * 1024);
  put("d", 64 * 1024 + 1);
  EXPECT_THAT(reserved, ElementsAre(0, 1, 0, 64 * 1024 + 1));
}

// Small files, of which each reserves nothing when it begins: their commits keep to the limit.
TEST_F(StorageQuotaTest, TheCommitRefusesWhatReservedNothing) {
  limitTo(100);
  ObservedUpload second(std::string(50, 'y'), true);
  ObservedUpload third(std::string(50, 'z'), true);
  std::vector<std::string> codes;
  ObservedUpload first(std::string(50, 'x'), true, [&]() -> Task<> {
    codes.push_back(codeOf(co_await putting("second", second)));
    codes.push_back(codeOf(co_await putting("third", third)));
    co_return Result<>();
  });
  const auto refused = run(putting("first", first));
  EXPECT_EQ(codeOf(refused), "PLAN_LIMIT");
  EXPECT_EQ(messageOf(refused), "plan limit: storageBytes: the plan Free allows 100 bytes of files, in use are 100");
  EXPECT_THAT(codes, ElementsAre("", ""));
  EXPECT_EQ(use(), 100);
  EXPECT_EQ(folder_.files().size(), 2);
}

TEST_F(StorageQuotaTest, OfAnUnknownSizeWhatHasArrivedIsReserved) {
  limitTo(100);
  ObservedUpload second(std::string(71, 'y'), false);
  ObservedUpload third(std::string(70, 'z'), false);
  std::vector<std::string> codes;
  ObservedUpload first(std::string(60, 'x'), false, [&]() -> Task<> {
    codes.push_back(codeOf(co_await putting("second", second)));
    codes.push_back(codeOf(co_await putting("third", third)));
    co_return Result<>();
  });
  EXPECT_EQ(codeOf(run(putting("first", first))), "PLAN_LIMIT");
  EXPECT_THAT(codes, ElementsAre("PLAN_LIMIT", ""));
  EXPECT_EQ(use(), 70);
  EXPECT_EQ(storage_->quota().reserved(shop_), 0);
}

TEST_F(StorageQuotaTest, AnUploadThatFailsReleasesWhatItReserved) {
  limitTo(100);
  ObservedUpload broken(std::string(100, 'x'), true,
                        []() -> Task<> { co_return fail(ErrorCode::requestTimeout, "the client left"); });
  EXPECT_EQ(codeOf(run(putting("f", broken))), "REQUEST_TIMEOUT");
  EXPECT_EQ(storage_->quota().reserved(shop_), 0);
  EXPECT_TRUE(putDeclared("f", 100));
}

// The net change of a file counts.
TEST_F(StorageQuotaTest, AnOverwriteGivesBackWhatItReplaces) {
  limitTo(100);
  ASSERT_TRUE(putDeclared("a", 90));
  EXPECT_TRUE(putDeclared("a", 90));
  EXPECT_TRUE(putDeclared("a", 100));
  EXPECT_EQ(codeOf(putDeclared("a", 101)), "PLAN_LIMIT");
  TextUpload chunked(std::string(100, 'x'), 10);
  EXPECT_TRUE(run(putting("a", chunked)));
  TextUpload longer(std::string(101, 'x'), 10);
  EXPECT_EQ(codeOf(run(putting("a", longer))), "PLAN_LIMIT");
  EXPECT_EQ(use(), 100);
  EXPECT_TRUE(run(storage_->files().setMetadata(access(), "pics", "a", json(R"({"n":1})"))));
  EXPECT_EQ(use(), 100);
}

TEST_F(StorageQuotaTest, ALowerLimitRefusesGrowthAlone) {
  limitTo(200);
  ASSERT_TRUE(putDeclared("a", 100));
  ASSERT_TRUE(putDeclared("b", 90));
  limitTo(50);
  EXPECT_EQ(text("pics", "a"), std::string(100, 'x'));
  EXPECT_EQ(codeOf(putDeclared("c", 1)), "PLAN_LIMIT");
  EXPECT_EQ(codeOf(putDeclared("a", 101)), "PLAN_LIMIT");
  EXPECT_TRUE(putDeclared("a", 100));
  EXPECT_TRUE(putDeclared("a", 80));
  EXPECT_EQ(use(), 170);
  EXPECT_EQ(codeOf(begin("c", 1)), "PLAN_LIMIT");
  EXPECT_EQ(codeOf(begin("a", 81)), "PLAN_LIMIT");
  const auto upload = begin("a", 80);
  ASSERT_TRUE(upload) << messageOf(upload);
  EXPECT_EQ(use(), 250);
  // What is unfinished is limited, though it would replace the same file.
  EXPECT_EQ(codeOf(begin("a", 80)), "PLAN_LIMIT");
  ASSERT_TRUE(append("a", upload->id, 0, std::string(80, 'y')));
  EXPECT_EQ(use(), 170);
  EXPECT_EQ(text("pics", "a"), std::string(80, 'y'));
  EXPECT_TRUE(run(storage_->files().remove(access(), "pics", "a")));
  EXPECT_EQ(use(), 90);
}

TEST_F(StorageQuotaTest, ALimitThatFallsDuringAnUploadRefusesItsCommit) {
  limitTo(100);
  ObservedUpload upload(std::string(60, 'x'), true, [&]() -> Task<> {
    limit(50);
    co_return Result<>();
  });
  EXPECT_EQ(messageOf(run(putting("f", upload))),
            "plan limit: storageBytes: the plan Free allows 50 bytes of files, in use are 0");
  EXPECT_EQ(use(), 0);
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(StorageQuotaTest, AnUnfinishedUploadCountsItsLength) {
  limitTo(100);
  const auto upload = begin("f", 60);
  ASSERT_TRUE(upload);
  EXPECT_EQ(use(), 60);
  const auto refused = begin("g", 41);
  EXPECT_EQ(codeOf(refused), "PLAN_LIMIT");
  EXPECT_EQ(messageOf(refused), "plan limit: storageBytes: the plan Free allows 100 bytes of files, in use are 60");
  EXPECT_EQ(codeOf(putDeclared("g", 41)), "PLAN_LIMIT");
  ASSERT_TRUE(append("f", upload->id, 0, std::string(20, 'a')));
  EXPECT_EQ(use(), 60);
  ASSERT_TRUE(putDeclared("g", 40));
  EXPECT_EQ(use(), 100);
  ASSERT_TRUE(append("f", upload->id, 20, std::string(40, 'b')));
  EXPECT_EQ(use(), 100);
  EXPECT_EQ(stored(), "2 100");
  EXPECT_TRUE(begin("empty", 0));
  EXPECT_EQ(use(), 100);
}

// Its space is its own since its beginning, whatever the limit is at its end.
TEST_F(StorageQuotaTest, AnUploadEndsUnderALowerLimit) {
  limitTo(100);
  const auto upload = begin("f", 60);
  ASSERT_TRUE(upload);
  limitTo(10);
  EXPECT_TRUE(append("f", upload->id, 0, std::string(60, 'a')));
  EXPECT_EQ(use(), 60);
}

TEST_F(StorageQuotaTest, AnUploadOverAFileFitsWhereTheFileItBecomesFits) {
  limitTo(100);
  ASSERT_TRUE(putDeclared("f", 80));
  EXPECT_EQ(codeOf(begin("f", 101)), "PLAN_LIMIT");
  const auto upload = begin("f", 100);
  ASSERT_TRUE(upload) << messageOf(upload);
  EXPECT_EQ(use(), 180);
  EXPECT_EQ(codeOf(begin("f", 10)), "PLAN_LIMIT");
  EXPECT_EQ(codeOf(putDeclared("g", 1)), "PLAN_LIMIT");
  ASSERT_TRUE(append("f", upload->id, 0, std::string(100, 'a')));
  EXPECT_EQ(use(), 100);
}

TEST_F(StorageQuotaTest, EveryEndOfAnUploadReleasesIt) {
  limitTo(100);
  const auto removed = begin("f", 100);
  ASSERT_TRUE(removed);
  ASSERT_TRUE(append("f", removed->id, 0, "abc"));
  ASSERT_TRUE(run(storage_->uploads().remove(access(), "pics", "f", removed->id)));
  EXPECT_EQ(use(), 0);

  ASSERT_TRUE(begin("f", 100));
  EXPECT_EQ(use(), 100);
  clock_.advance(25 * 3'600'000);
  EXPECT_TRUE(until([&] { return uploads() == 0; }));
  EXPECT_EQ(use(), 0);

  const auto late = begin("f", 60);
  ASSERT_TRUE(late);
  ASSERT_TRUE(append("f", late->id, 0, "abc"));
  ASSERT_TRUE(putDeclared("g", 40));
  EXPECT_EQ(use(), 100);
  ASSERT_TRUE(run(storage_->buckets().remove(access(), "pics")));
  EXPECT_TRUE(until([&] { return uploads() == 0 && folder_.files().empty(); }));
  EXPECT_EQ(use(), 0);
}

// One from before lengths were counted.
TEST_F(StorageQuotaTest, AnUploadThatIsNotCountedIsLimitedAtItsEnd) {
  limitTo(100);
  const auto upload = begin("f", 60);
  ASSERT_TRUE(upload);
  UploadRecord old = *upload;
  old.reserved.reset();
  store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {}});
  const store::Target row = write.change({shop_, kUploads, 0}, old.id);
  ASSERT_TRUE(run(memory_.write(std::move(write),
                                [row, &old = std::as_const(old)](const store::PreImages&, store::Changes& changes) {
                                  changes.put(row, doc::encode(old));
                                  return Result<>();
                                })));
  EXPECT_EQ(use(), 0);
  ASSERT_TRUE(putDeclared("g", 50));
  EXPECT_EQ(messageOf(append("f", upload->id, 0, std::string(60, 'a'))),
            "plan limit: storageBytes: the plan Free allows 100 bytes of files, in use are 50");
  ASSERT_TRUE(run(storage_->files().remove(access(), "pics", "g")));
  EXPECT_TRUE(append("f", upload->id, 0, std::string(60, 'a')));
  EXPECT_EQ(use(), 60);
}

// Half of them are of a declared size, a quarter resumable.
TEST_F(StorageQuotaTest, ManyAtOnceFillTheLimitExactly) {
  constexpr int kUploadsAtOnce = 200;
  constexpr int64_t kUnit = 10;
  constexpr int64_t kUnits = 100;
  for (int round = 0; round < 4; ++round) {
    limitTo((round + 1) * kUnits * kUnit);
    std::vector<std::unique_ptr<ObservedUpload>> bodies;
    std::atomic<int> done = 0;
    std::atomic<int> refused = 0;
    std::latch left(kUploadsAtOnce);
    for (int i = 0; i < kUploadsAtOnce; ++i) {
      const std::string path = fmt::format("{}/{}", round, i);
      const auto ended = [&]<class T>(std::exception_ptr exception, const Result<T>& result) {
        EXPECT_FALSE(exception);
        (result ? done : refused) += 1;
        if (!result) EXPECT_EQ(codeOf(result), "PLAN_LIMIT") << messageOf(result);
        left.count_down();
      };
      if (i % 4 == 3) {
        asio::co_spawn(cores_.at(0).get_executor(),
                       storage_->uploads().create(access_, "pics", path, {kUnit, {"text/plain"}, ""}),
                       [&, ended](std::exception_ptr exception, Result<UploadRecord> result) {
                         ended(std::move(exception), result);
                       });
        continue;
      }
      bodies.push_back(std::make_unique<ObservedUpload>(std::string(kUnit, 'x'), i % 2 == 0));
      asio::co_spawn(
          cores_.at(0).get_executor(), putting(path, *bodies.back()),
          [&, ended](std::exception_ptr exception, Result<FileView> result) { ended(std::move(exception), result); });
    }
    left.wait();
    EXPECT_EQ(done, kUnits) << "round " << round;
    EXPECT_EQ(refused, kUploadsAtOnce - kUnits);
    EXPECT_EQ(use(), (round + 1) * kUnits * kUnit);
    EXPECT_EQ(storage_->quota().reserved(shop_), 0);
  }
}

TEST_F(StorageQuotaTest, ManyOverwritesAtOnceAllFit) {
  limitTo(100);
  ASSERT_TRUE(putDeclared("f", 100));
  std::vector<std::unique_ptr<ObservedUpload>> bodies;
  std::atomic<int> done = 0;
  std::latch left(8);
  for (int i = 0; i < 8; ++i) {
    bodies.push_back(std::make_unique<ObservedUpload>(std::string(100, 'x'), true));
    asio::co_spawn(cores_.at(0).get_executor(), putting("f", *bodies.back()),
                   [&](std::exception_ptr, Result<FileView> result) {
                     EXPECT_TRUE(result) << messageOf(result);
                     done += result ? 1 : 0;
                     left.count_down();
                   });
  }
  left.wait();
  EXPECT_EQ(done, 8);
  EXPECT_EQ(use(), 100);
}

}  // namespace
}  // namespace mb::storage
