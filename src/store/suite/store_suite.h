// The tests that every engine must pass. An engine's test program instantiates them with a factory
// (INSTANTIATE_TEST_SUITE_P) and compiles the *_suite.cc of this folder.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/clock.h"
#include "store/change_feed.h"
#include "store/testing/running.h"

namespace mb::store::suite {

// One store under test, with running cores.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual DocumentStore& store() = 0;
  virtual ChangeFeed& feed() = 0;
  virtual Cores& cores() = 0;
  // Closes the store and opens it again on the same data.
  virtual void reopen() = 0;
  // The same, with a wrong value of the counter.
  virtual void breakCounter(const CounterKey& key, int64_t value) = 0;
  // The problems that a full scan finds.
  virtual std::vector<std::string> problems() = 0;
  // Whether this code plans queries, sorts and counts entries of indexes. False where a server does: which index it
  // uses, what it holds in memory, and how large its indexes are, is its own.
  virtual bool plansQueries() const { return true; }
  // Whether 0.1 as a double and as a decimal differ, as they do in MongoDB. False for some servers of its protocol.
  virtual bool comparesDecimalsExactly() const { return true; }
};

struct EngineFactory {
  std::string name;
  std::function<std::unique_ptr<Engine>(std::vector<SystemCollection>)> make;
};

// System collections of the store under test: 1 "__things", counted by `owner`, with a unique index on `email` and one
// on `owner`; 2 "__audit" without indexes; two parts of configuration (configuration_limits.h).
inline constexpr CollectionNo kThings = 1;
inline constexpr CollectionNo kAudit = 2;
inline constexpr CollectionNo kMeasured = 3;   // "__measured": counters below, marks of `owner`
inline constexpr CollectionNo kReserved = 4;   // "__reserved": the counter kBytes
inline constexpr CounterNo kBytes = 1;         // the sum of `size` in kMeasured and of `reserved` in kReserved
inline constexpr CounterNo kOwned = 2;         // the number of documents by `owner`
inline constexpr CollectionNo kSized = 90;     // functions
inline constexpr CollectionNo kCounted = 120;  // buckets
std::vector<SystemCollection> systemCollections();

class StoreSuite : public ::testing::TestWithParam<EngineFactory> {
 protected:
  void SetUp() override;

  DocumentStore& store() { return engine_->store(); }
  Engine& engine() { return *engine_; }

  // Runs a task on a core and waits for its result.
  template <class T>
  Result<T> run(Task<T> task, int core = 0) {
    return testing::runOn(engine_->cores(), core, std::move(task));
  }
  // The value of a successful call; else fails the test.
  template <class T>
  T must(Task<T> task) {
    auto result = run(std::move(task));
    if (!result) {
      ADD_FAILURE() << result.error().message() << " " << result.error().cause();
      throw std::runtime_error("the store failed");
    }
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

  // Creates a user collection of project_; current() is its latest version.
  CollectionRef makeCollection(const std::string& name);
  CollectionRef current(CollectionRef collection);
  IndexInfo makeIndex(CollectionRef& collection, IndexSpec spec);

  // Documents as JSON texts with an `id`.
  Result<WriteOutcome> put(CollectionRef collection, std::string_view json);
  Result<WriteOutcome> putAll(CollectionRef collection, std::vector<std::string> jsons);
  Result<WriteOutcome> remove(CollectionRef collection, std::string_view id);
  // The document as JSON text; "" if it does not exist.
  std::string get(CollectionRef collection, std::string_view id);
  QueryResult find(CollectionRef collection, std::string_view filter, Query query = {});
  // Ids, joined by spaces.
  std::string ids(CollectionRef collection, std::string_view filter, Query query = {});
  uint64_t count(CollectionRef collection, std::string_view filter);

  ProjectNo project_ = 0;

 private:
  std::unique_ptr<Engine> engine_;
};

doc::Document json(std::string_view text);
doc::Filter filterOf(std::string_view text);
std::string text(const doc::Document& document);
// The unique index that refused the write; "" for any other outcome.
std::string refusingIndex(const Result<WriteOutcome>& written);
std::string joinIds(const std::vector<doc::Document>& documents);
// {path: direction, …} in order.
IndexSpec index(std::vector<IndexKey> keys);
IndexSpec uniqueIndex(std::vector<IndexKey> keys);
WriteOptions writeOptions();
Deadline soon();
Query page(uint64_t skip, uint64_t limit);

}  // namespace mb::store::suite
