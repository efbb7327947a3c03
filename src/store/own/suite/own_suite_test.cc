// Runs the suite of all engines on the router, whose projects all have a database of their own on the server that
// MANYBASE_TEST_MONGO_URL names. Lists there are in the order of `_id`, so tests of the order of ids are left out.
#include "base/blocking.h"
#include "store/embedded/testing.h"
#include "store/mongo/suite/test_server.h"
#include "store/own/pending_writes.h"
#include "store/own/router.h"
#include "store/own/testing.h"
#include "store/suite/store_suite.h"

namespace mb::store {

namespace {

constexpr ProjectNo kProjects = 8;  // of one test

class RouterUnderTest final : public suite::Engine {
 public:
  explicit RouterUnderTest(std::vector<SystemCollection> system) : system_(std::move(system)), prefix_(newPrefix()) {
    const std::vector<SystemCollection> more = own::systemCollections();
    system_.insert(system_.end(), more.begin(), more.end());
    settings_.minFreeDiskBytes = 0;
    cores_.start();
    for (ProjectNo project = kControlProject + 1; project < kControlProject + kProjects; ++project) {
      own::DatabaseConfig config;
      config.address.uri = uriOfServer();
      config.address.database = prefix_ + "_" + std::to_string(project);
      // A server without replica set has none.
      config.capabilities.transactions = config.address.uri.contains("replicaSet=");
      config.coverKey = std::string(32, 'k');
      databases_.set(project, std::move(config));
    }
    open();
  }
  ~RouterUnderTest() override {
    router_.reset();
    databases_.stop();
    cores_.stop();
    cores_.join();
    dropDatabases(prefix_);
  }
  DocumentStore& store() override { return *router_; }
  ChangeFeed& feed() override { return *router_; }
  Cores& cores() override { return cores_; }
  void reopen() override {
    router_.reset();
    open();
  }
  void breakCounter(const CounterKey&, int64_t) override {}
  std::vector<std::string> problems() override { return router_->check().problems; }
  bool plansQueries() const override { return false; }

 private:
  void open() {
    auto main = EmbeddedStore::open(directory_.path(), settings_, cores_, system_, clock_);
    if (!main) throw std::runtime_error(main.error().message());
    router_ = std::make_unique<own::Router>(*std::move(main), databases_);
  }

  SystemClock clock_;
  Cores cores_{2};
  embedded::TemporaryFolder directory_;
  std::vector<SystemCollection> system_;
  std::string prefix_;
  EmbeddedSettings settings_;
  own::LoopbackGuard guard_;
  own::Databases databases_{guard_};
  std::unique_ptr<own::Router> router_;
};

const suite::EngineFactory kRouter{"router",
                                   [](std::vector<SystemCollection> system) -> std::unique_ptr<suite::Engine> {
                                     return std::make_unique<RouterUnderTest>(std::move(system));
                                   }};

std::string engineName(const ::testing::TestParamInfo<suite::EngineFactory>& info) {
  return info.param.name;
}

// ---- what the tests of all engines do not reach

class OwnConnections : public ::testing::Test {
 protected:
  OwnConnections() { cores_.start(); }
  ~OwnConnections() override {
    databases_.stop();
    cores_.stop();
    cores_.join();
  }
  static own::Address address() {
    own::Address there;
    there.uri = uriOfServer();
    there.database = "connections";
    return there;
  }
  std::shared_ptr<own::Database> used(ProjectNo project) {
    own::DatabaseConfig config;
    config.address = address();
    config.coverKey = std::string(32, 'k');
    databases_.set(project, std::move(config));
    const auto nothing = [](mongo::Connection&) -> Result<int> { return 0; };
    const auto call = [](std::shared_ptr<own::Database> database, auto work) -> Task<int> {
      co_return co_await database->run(std::chrono::steady_clock::now() + std::chrono::seconds(10), work);
    };
    EXPECT_TRUE(runBlocking(cores_, call(databases_.find(project), nothing)));
    return databases_.find(project);
  }

  const own::LoopbackGuard guard_;
  Cores cores_{1};
  own::Databases databases_{guard_, 2};
};

TEST_F(OwnConnections, AreClosedForTheProjectsUsedLeastLately) {
  const auto first = used(11);
  const auto second = used(12);
  EXPECT_TRUE(first->hasIdle());
  const auto third = used(13);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  // Any change wakes the thread that closes them.
  while (first->hasIdle() && std::chrono::steady_clock::now() < end) databases_.close(14), databases_.set(14, {});
  EXPECT_FALSE(first->hasIdle());
  EXPECT_TRUE(second->hasIdle());
  EXPECT_TRUE(third->hasIdle());
}

TEST_F(OwnConnections, AreClosedOnceTheyAreIdle) {
  own::Connections connections(address(), guard_);
  auto connection = connections.take();
  ASSERT_TRUE(connection);
  EXPECT_FALSE(connections.hasIdle());
  const auto before = own::Connections::Time::clock::now();
  connections.giveBack(std::move(connection));
  connections.closeIdle(before - own::kIdleTime);
  EXPECT_TRUE(connections.hasIdle());
  connections.closeIdle(before + own::kIdleTime);
  EXPECT_FALSE(connections.hasIdle());
}

}  // namespace

namespace suite {
INSTANTIATE_TEST_SUITE_P(Engines, StoreSuite, ::testing::Values(kRouter), engineName);
}  // namespace suite

}  // namespace mb::store
