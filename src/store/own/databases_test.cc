#include "store/own/databases.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "base/cores.h"
#include "store/own/testing.h"

namespace mb::store::own {
namespace {

class DatabasesTest : public ::testing::Test {
 protected:
  DatabasesTest() { cores_.start(); }
  ~DatabasesTest() override {
    databases_.stop();
    cores_.stop();
    cores_.join();
  }

  static DatabaseConfig nobodyListens() {
    DatabaseConfig config;
    config.address = *parseAddress("mongodb://127.0.0.1:1/shop", LoopbackGuard());
    config.coverKey = std::string(32, 'k');
    return config;
  }
  static Async<Result<int>> ping(std::shared_ptr<Database> database) {
    co_return co_await database->run(std::chrono::steady_clock::now() + std::chrono::seconds(10),
                                     [](mongo::Connection&) -> Result<int> { return 1; });
  }
  std::future<Result<int>> start(ProjectNo project) {
    return asio::co_spawn(cores_.at(0), ping(databases_.find(project)), asio::use_future);
  }
  static void expectUnreachable(const Result<int>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::unavailable);
    EXPECT_EQ(result.error().message(), kUnreachable);
    EXPECT_EQ(result.error().retryAfterSeconds(), kRetryAfter);
    EXPECT_EQ(result.error().cause(), "");
  }

  const LoopbackGuard guard_;
  Cores cores_{1};
  Databases databases_{guard_};
};

TEST_F(DatabasesTest, KnowsWhatWasSet) {
  EXPECT_FALSE(databases_.any());
  EXPECT_EQ(databases_.find(7), nullptr);
  databases_.set(7, nobodyListens());
  EXPECT_TRUE(databases_.any());
  EXPECT_EQ(databases_.find(8), nullptr);
  ASSERT_NE(databases_.find(7), nullptr);
  EXPECT_EQ(databases_.find(7)->name(), "shop");
  EXPECT_EQ(databases_.find(7)->coverKey(), std::string(32, 'k'));
}

TEST_F(DatabasesTest, CallsFailWhileTheDatabaseIsAway) {
  databases_.set(7, nobodyListens());
  std::vector<std::future<Result<int>>> calls;
  for (size_t i = 0; i < kConnections + kWaiting + 10; ++i) calls.push_back(start(7));
  for (auto& call : calls) expectUnreachable(call.get());
  expectUnreachable(start(7).get());
}

TEST_F(DatabasesTest, CallsOfAClosedOneFail) {
  databases_.close(7);
  expectUnreachable(start(7).get());
  databases_.set(7, nobodyListens());
  databases_.close(7);
  expectUnreachable(start(7).get());
}

TEST_F(DatabasesTest, ErrorsOfCommandsHideTheirTexts) {
  databases_.set(7, nobodyListens());
  const auto database = databases_.find(7);
  const std::vector<std::pair<int, std::string>> expected = {
      {-1, std::string(kUnreachable)},
      {13, "the project's database takes no writes at present"},
      {10107, "the project's database takes no writes at present"},
      {50, "the project's database takes too long: try again"},
  };
  for (const auto& [code, message] : expected) {
    const Error error = database->failed({code, "at db.example.com as marked-user"});
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_EQ(error.message(), message);
    EXPECT_EQ(error.cause(), "code " + std::to_string(code));
  }
}

TEST_F(DatabasesTest, RefusesCallsOnceStopped) {
  databases_.set(7, nobodyListens());
  databases_.stop();
  expectUnreachable(start(7).get());
}

}  // namespace
}  // namespace mb::store::own
