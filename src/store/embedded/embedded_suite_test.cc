// Runs the suite of all engines on this one.
#include "store/embedded/testing.h"
#include "store/embedded/testing_counters.h"
#include "store/suite/planner_suite.h"
#include "store/suite/store_suite.h"

namespace mb::store {

namespace {

class EmbeddedUnderTest final : public suite::Engine {
 public:
  explicit EmbeddedUnderTest(std::vector<SystemCollection> system) : opened_(std::move(system)) {}
  DocumentStore& store() override { return opened_.store(); }
  ChangeFeed& feed() override { return opened_.store(); }
  Cores& cores() override { return opened_.cores(); }
  void reopen() override { opened_.reopen(); }
  void breakCounter(const CounterKey& key, int64_t value) override {
    opened_.reopen([&] { embedded::replaceCounterRow(opened_.path(), key, value); });
  }
  std::vector<std::string> problems() override { return opened_.store().check().problems; }

 private:
  embedded::OpenedStore opened_;
};

const suite::EngineFactory kEmbedded{"embedded",
                                     [](std::vector<SystemCollection> system) -> std::unique_ptr<suite::Engine> {
                                       return std::make_unique<EmbeddedUnderTest>(std::move(system));
                                     }};

std::string engineName(const ::testing::TestParamInfo<suite::EngineFactory>& info) {
  return info.param.name;
}

}  // namespace

namespace suite {
INSTANTIATE_TEST_SUITE_P(Engines, StoreSuite, ::testing::Values(kEmbedded), engineName);
INSTANTIATE_TEST_SUITE_P(Engines, PlannerSuite, ::testing::Values(kEmbedded), engineName);
}  // namespace suite

}  // namespace mb::store
