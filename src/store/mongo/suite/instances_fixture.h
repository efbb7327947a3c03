// Two instances of the engine on the test server, in databases of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "document/fields.h"
#include "document/json.h"
#include "store/mongo/connection.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/suite/cut_proxy.h"
#include "store/mongo/suite/test_server.h"
#include "store/mongo/uri.h"
#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store {

class InstancesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cores_.start();
    a_ = open(uriOfServer());
    b_ = open(uriOfServer());
    project_ = must(a_->allocateProject());
    collection_ = refOf(must(a_->createCollection(project_, "books", suite::json("{}"), {})));
  }
  void TearDown() override {
    a_.reset();
    b_.reset();
    cores_.stop();
    cores_.join();
    dropDatabases(prefix_);
  }

  std::unique_ptr<MongoStore> open(const std::string& address, MongoSettings settings = {}) {
    const auto uri = parseMongoUri(address);
    if (!uri) throw std::runtime_error(uri.error().message());
    settings.uri = uri->uri;
    settings.prefix = prefix_;
    settings.threads = 8;
    auto opened = MongoStore::open(std::move(settings), suite::systemCollections(), clock_);
    if (!opened) throw std::runtime_error(opened.error().message() + " " + opened.error().cause());
    return *std::move(opened);
  }
  // The second instance, which reaches the server through the proxy.
  void openThrough(const CutProxy& proxy) {
    b_.reset();
    b_ = open(uriThrough(proxy.port()));
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return testing::runOn(cores_, 0, std::move(task));
  }
  template <class T>
  T must(Task<T> task) {
    auto result = run(std::move(task));
    if (!result) throw std::runtime_error(result.error().message() + " " + result.error().cause());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }
  CollectionRef refOf(const CollectionInfo& info) const { return {project_, info.number, info.version}; }

  static bool within(std::chrono::seconds time, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  int64_t numberAt(MongoStore& store, const std::string& id) {
    const auto found = must(store.get(collection_, id, {}));
    return found ? doc::integerOr(found->view(), "n") : -1;
  }
  // Adds one to the number in a document.
  Task<> increment(MongoStore& store, std::string id, int times) {
    for (int i = 0; i < times; ++i) {
      Write write(suite::writeOptions());
      const Target counter = write.change(collection_, id);
      CO_RETURN_IF_ERROR(
          co_await store.write(std::move(write), [id, counter](const PreImages& before, Changes& changes) -> Result<> {
            const int64_t n = before[counter] ? doc::integerOr(before[counter]->view(), "n") : 0;
            changes.put(counter, suite::json(fmt::format(R"({{"id":"{}","n":{}}})", id, n + 1)));
            return {};
          }));
    }
    co_return Result<>();
  }
  std::vector<ChangeEntry> changesSince(MongoStore& store, uint64_t position) {
    std::vector<ChangeEntry> all;
    while (true) {
      ChangeBatch batch = must(store.changes(project_, position, kMaxChanges));
      if (batch.entries.empty()) return all;
      position = batch.through;
      for (ChangeEntry& each : batch.entries) all.push_back(std::move(each));
    }
  }

  SystemClock clock_;
  Cores cores_{2};
  const std::string prefix_ = newPrefix();
  ProjectNo project_ = 0;
  CollectionRef collection_;
  std::unique_ptr<MongoStore> a_;
  std::unique_ptr<MongoStore> b_;
};

}  // namespace mb::store
