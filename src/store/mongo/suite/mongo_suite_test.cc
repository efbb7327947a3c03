// Runs the suite of all engines on this one, against the server that MANYBASE_TEST_MONGO_URL names.
#include "document/json.h"
#include "store/mongo/commands.h"
#include "store/mongo/connection.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/suite/test_server.h"
#include "store/suite/store_suite.h"
#include "store/testing/running.h"

namespace mb::store {

namespace {

bool serverComparesDecimalsExactly() {
  mongo::Connection connection(uriOfServer());
  const auto numbers = doc::parseJson(R"({"_id":"probe","real":0.1,"decimal":{"$numberDecimal":"0.1"}})");
  const std::string database = newPrefix();
  (void)connection.write(database, mongo::insertCommand("probe", std::span(&*numbers, 1)));
  doc::BsonWriter out;
  out.appendString("find", "probe");
  out.beginDocument("filter");
  out.append("real", *numbers->view().find("decimal"));
  out.end();
  const auto reply = connection.run(database, out.finish());
  dropDatabases(database);
  return reply && mongo::batchOf(*reply).documents.empty();
}

// Each test has a database of its own, which it drops.
class MongoUnderTest final : public suite::Engine {
 public:
  explicit MongoUnderTest(std::vector<SystemCollection> system) : system_(std::move(system)), prefix_(newPrefix()) {
    cores_.start();
    open();
  }
  ~MongoUnderTest() override {
    store_.reset();
    cores_.stop();
    cores_.join();
    dropDatabases(prefix_);
  }
  DocumentStore& store() override { return *store_; }
  ChangeFeed& feed() override { return *store_; }
  Cores& cores() override { return cores_; }
  void reopen() override {
    store_.reset();
    open();
  }
  void breakCounter(const CounterKey& key, int64_t value) override {
    store_.reset();
    mongo::Connection connection(uriOfServer());
    doc::BsonWriter out;
    out.appendString("update", "counters");
    out.beginArray("updates");
    out.beginDocument("0");
    out.beginDocument("q");
    out.appendString("_id", fmt::format("{}/{}/{}", key.project, key.counter, key.group));
    out.end();
    out.beginDocument("u");
    out.beginDocument("$set");
    out.appendInt64("n", value);
    out.appendInt64("p", key.project);
    out.appendInt64("k", key.counter);
    out.appendString("g", key.group);
    out.end();
    out.end();
    out.appendBool("upsert", true);
    out.end();
    out.end();
    EXPECT_TRUE(connection.write(prefix_, out.finish()));
    open();
  }
  // Counters are compared by their recount, as `manybase check` does.
  std::vector<std::string> problems() override {
    std::vector<std::string> found = store_->check().problems;
    const auto image = store_->image(false);
    if (!image) throw std::runtime_error(image.error().message() + " " + image.error().cause());
    for (const ProjectNo project : (*image)->projects()) {
      const auto recount = testing::runOn(cores_, 0, store_->recountCounters(project, {.correct = false}));
      if (!recount) throw std::runtime_error(recount.error().message() + " " + recount.error().cause());
      for (const CounterCorrection& each : recount->corrections) found.push_back(each.name);
    }
    return found;
  }
  bool plansQueries() const override { return false; }
  bool comparesDecimalsExactly() const override {
    static const bool exact = serverComparesDecimalsExactly();
    return exact;
  }

 private:
  void open() {
    auto opened =
        MongoStore::open({.uri = uriOfServer(), .prefix = prefix_, .threads = 8, .callbackRuns = 2}, system_, clock_);
    if (!opened) throw std::runtime_error(opened.error().message() + " " + opened.error().cause());
    store_ = *std::move(opened);
  }

  SystemClock clock_;
  Cores cores_{2};
  std::vector<SystemCollection> system_;
  std::string prefix_;
  std::unique_ptr<MongoStore> store_;
};

const suite::EngineFactory kMongo{"mongo", [](std::vector<SystemCollection> system) -> std::unique_ptr<suite::Engine> {
                                    return std::make_unique<MongoUnderTest>(std::move(system));
                                  }};

std::string engineName(const ::testing::TestParamInfo<suite::EngineFactory>& info) {
  return info.param.name;
}

}  // namespace

namespace suite {
INSTANTIATE_TEST_SUITE_P(Engines, StoreSuite, ::testing::Values(kMongo), engineName);
}  // namespace suite

}  // namespace mb::store
