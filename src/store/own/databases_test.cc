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

TEST_F(DatabasesTest, KeepsADatabaseThatIsSetAgain) {
  databases_.set(7, nobodyListens());
  const auto first = databases_.find(7);
  databases_.set(7, nobodyListens());
  EXPECT_EQ(databases_.find(7), first);
  DatabaseConfig changed = nobodyListens();
  changed.capabilities.transactions = true;
  databases_.set(7, changed);
  EXPECT_NE(databases_.find(7), first);
  databases_.close(7);
  const auto closed = databases_.find(7);
  databases_.set(7, changed);
  EXPECT_NE(databases_.find(7), closed);
}

TEST_F(DatabasesTest, ReportsThatADatabaseHasChanged) {
  std::vector<ProjectNo> reported;
  databases_.setChanged([&reported](ProjectNo project) { reported.push_back(project); });
  for (const ProjectNo project : {7, 8, 9, 10}) {
    DatabaseConfig config = nobodyListens();
    config.address.database = std::to_string(project);
    databases_.set(project, std::move(config));
  }
  databases_.find(7)->wrote();
  (void)databases_.find(7)->failedToRead({50, ""});
  EXPECT_TRUE(reported.empty());
  (void)databases_.find(7)->failed({13, ""});
  (void)databases_.find(8)->failedToRead({20, ""});
  (void)databases_.find(9)->failed({263, ""});
  EXPECT_EQ(reported, (std::vector<ProjectNo>{7, 8, 9}));
  // Once within the pause, also where writes take effect again.
  (void)databases_.find(7)->failed({13, ""});
  databases_.find(7)->wrote();
  EXPECT_EQ(reported.size(), 3U);
  (void)databases_.find(10)->failed({10107, ""});
  EXPECT_EQ(reported.back(), 10U);
}

TEST_F(DatabasesTest, ErrorsOfReadsSayNothingOfWrites) {
  databases_.set(7, nobodyListens());
  EXPECT_EQ(databases_.find(7)->failedToRead({13, ""}).message(), kUnreachable);
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
