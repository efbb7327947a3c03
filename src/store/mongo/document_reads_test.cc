#include "store/mongo/document_reads.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "base/cores.h"
#include "document/json.h"

namespace mb::store::mongo {
namespace {

constexpr CollectionRef kNotes{7, kFirstUserCollection, 1};

// Reads that a test holds until it lets them go; no connection is used.
class DocumentReadsTest : public ::testing::Test {
 protected:
  using LookupResult = DocumentReads::LookupResult;

  DocumentReadsTest() { cores_.start(); }
  ~DocumentReadsTest() override {
    open();
    pool_.stop();
    cores_.stop();
    cores_.join();
  }

  std::future<Result<LookupResult>> get(const std::string& id, Deadline deadline = later()) {
    return asio::co_spawn(cores_.at(0), reads_.get(kNotes, id, deadline), asio::use_future);
  }
  static Deadline later() { return std::chrono::steady_clock::now() + std::chrono::seconds(60); }

  Result<std::map<std::string, VersionedDocument>> read(const std::vector<std::string>& ids) {
    std::unique_lock lock(mutex_);
    commands_.push_back(ids);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    if (fails_) return fail(ErrorCode::unavailable, "away");
    std::map<std::string, VersionedDocument> found;
    for (const std::string& id : ids) {
      if (id != "missing") found.emplace(id, VersionedDocument{*doc::parseJson(R"({"id":")" + id + R"("})"), 1});
    }
    return found;
  }
  void awaitCommands(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return commands_.size() >= count; });
  }
  void open(bool fails = false) {
    const std::lock_guard lock(mutex_);
    open_ = true;
    fails_ = fails;
    changed_.notify_all();
  }
  static std::string idOf(Result<LookupResult> found) {
    if (!found) return found.error().message();
    return *found ? std::string((*found)->document.view().stringOr("id")) : "none";
  }
  // Two reads, "a" and "b", whose commands are held: later reads wait.
  std::pair<std::future<Result<LookupResult>>, std::future<Result<LookupResult>>> holdCommands() {
    auto first = get("a");
    awaitCommands(1);
    auto second = get("b");
    awaitCommands(2);
    return {std::move(first), std::move(second)};
  }
  // So that all calls before it have reached the queue: they begin on the same core.
  void awaitCalls() {
    asio::co_spawn(cores_.at(0), []() -> Async<void> { co_return; }(), asio::use_future).get();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool fails_ = false;
  std::vector<std::vector<std::string>> commands_;
  Cores cores_{1};
  ConnectionPool pool_{"mongodb://127.0.0.1:1/", 8, {}};
  DocumentReads reads_{pool_, [this](Connection&, const CollectionRef&, const std::vector<std::string>& ids, Deadline) {
                         return read(ids);
                       }};
};

TEST_F(DocumentReadsTest, WhatWaitsGoesTogether) {
  auto [first, second] = holdCommands();
  std::vector<std::future<Result<LookupResult>>> rest;
  for (const char* id : {"c", "d", "missing", "c"}) rest.push_back(get(id));
  awaitCalls();
  open();
  EXPECT_EQ(idOf(first.get()), "a");
  EXPECT_EQ(idOf(second.get()), "b");
  std::vector<std::string> found;
  for (auto& each : rest) found.push_back(idOf(each.get()));
  EXPECT_EQ(found, (std::vector<std::string>{"c", "d", "none", "c"}));
  EXPECT_EQ(commands_, (std::vector<std::vector<std::string>>{{"a"}, {"b"}, {"c", "d", "missing"}}));
}

TEST_F(DocumentReadsTest, ACommandHasABound) {
  auto [first, second] = holdCommands();
  std::vector<std::future<Result<LookupResult>>> rest;
  for (size_t i = 0; i < 2 * kDocumentsOfRead; ++i) rest.push_back(get("d" + std::to_string(i)));
  awaitCalls();
  open();
  for (size_t i = 0; i < rest.size(); ++i) EXPECT_EQ(idOf(rest[i].get()), "d" + std::to_string(i));
  ASSERT_EQ(commands_.size(), 4U);
  EXPECT_EQ(commands_[2].size(), kDocumentsOfRead);
  EXPECT_EQ(commands_[3].size(), kDocumentsOfRead);
}

TEST_F(DocumentReadsTest, AFailureIsThatOfAllInTheCommand) {
  auto [first, second] = holdCommands();
  auto third = get("c");
  auto fourth = get("d");
  awaitCalls();
  open(true);
  for (auto* each : {&first, &second, &third, &fourth}) EXPECT_EQ(idOf(each->get()), "away");
}

TEST_F(DocumentReadsTest, ALateReadAsksForNothing) {
  open();
  EXPECT_EQ(get("a", std::chrono::steady_clock::now() - std::chrono::seconds(1)).get().error().code(),
            ErrorCode::unavailable);
  EXPECT_TRUE(commands_.empty());
  EXPECT_EQ(idOf(get("b").get()), "b");
}

TEST_F(DocumentReadsTest, TooManyWaitingReadsAreRefused) {
  auto [first, second] = holdCommands();
  std::vector<std::future<Result<LookupResult>>> rest;
  for (size_t i = 0; i < kWaitingReads; ++i) rest.push_back(get("c"));
  EXPECT_EQ(get("d").get().error().code(), ErrorCode::unavailable);
  open();
  for (auto& each : rest) EXPECT_EQ(idOf(each.get()), "c");
}

TEST_F(DocumentReadsTest, AStoppedPoolRefusesThem) {
  open();
  pool_.stop();
  EXPECT_EQ(get("a").get().error().code(), ErrorCode::unavailable);
  EXPECT_EQ(get("b").get().error().code(), ErrorCode::unavailable);
}

}  // namespace
}  // namespace mb::store::mongo
