// A project with functions on a store in memory, and an executor that the test scripts.
#pragma once

#include "base/log.h"
#include "configuration/random_configuration_fixture.h"
#include "functions/function_kind.h"
#include "functions/functions.h"
#include "jobs/jobs.h"

namespace mb::functions {

// Accepts all code that does not contain "syntax!", and strips the type of "let x: number".
class CheckingExecutor final : public workers::Executor {
 public:
  Async<workers::RunOutcome> run(workers::RunRequest) override { co_return workers::RunOutcome(); }
  Task<workers::CheckedCode> check(store::ProjectNo, std::string source, bool) override {
    ++checks;
    if (unavailable) co_return fail(ErrorCode::unavailable, "code cannot be checked now");
    const size_t bad = source.find("syntax!");
    if (bad != std::string::npos) {
      const size_t line = static_cast<size_t>(std::ranges::count(source.substr(0, bad), '\n'));
      const size_t begin = source.rfind('\n', bad) + 1;
      co_return fail(ErrorCode::validation, fmt::format("{}:{}: Unexpected token", line + 1, bad - begin + 1));
    }
    co_return workers::CheckedCode{"/* runs */ " + source, "map"};
  }
  std::atomic<int> checks = 0;
  std::atomic<bool> unavailable = false;
};

class FunctionsFixture : public configuration::RandomConfigurationFixture {
 protected:
  FunctionsFixture() : RandomConfigurationFixture(systemCollections()) {
    configureLog(LogLevel::off, LogFormat::text);
    configuration_->add(std::make_unique<FunctionKind>(functions_));
    EXPECT_TRUE(run(dispatcher_.start()));
    queue_.start();
  }
  ~FunctionsFixture() override {
    store_.stopAfter(-1);
    dispatcher_.stop(std::chrono::seconds(20));
    queue_.stop(std::chrono::seconds(20));
  }

  Access access(store::ProjectNo project) { return {admin(), snapshot(project), soon()}; }
  Access access() { return access(shop_); }

  static constexpr std::string_view kHttp = R"({"type":"http","method":"GET","path":"/hello/:name"})";
  static constexpr std::string_view kOnOrders = R"({"type":"database","collection":"orders","events":["insert"]})";
  static NewFunction function(std::string name, std::string_view trigger = kOnOrders) {
    NewFunction made;
    made.name = std::move(name);
    made.trigger = json(trigger);
    made.code = "export default async () => 1;";
    return made;
  }
  static doc::Document flow(std::string_view message = "hi") {
    return json(fmt::format(R"({{"nodes":[{{"id":"t","type":"trigger","data":{{}},"position":{{"x":0,"y":0}}}},
      {{"id":"say","type":"log","data":{{"message":"{}"}},"position":{{"x":0,"y":1}}}}],
      "edges":[{{"id":"e","source":"t","target":"say"}}]}})",
                            message));
  }
  Result<FunctionView> create(NewFunction input) { return run(functions_.create(access(), std::move(input))); }
  Result<> change(std::string name, std::string_view patch) {
    return run(functions_.change(access(), std::move(name), *doc::decode<FunctionPatch>(json(patch))));
  }
  FunctionView view(std::string_view name) {
    auto found = functions_.get(*snapshot(shop_), name);
    EXPECT_TRUE(found);
    return found ? *std::move(found) : FunctionView();
  }
  FunctionPtr compiledOne(std::string_view name) { return snapshot(shop_)->get(functions_.slot()).find(name); }
  store::CollectionInfo collection(std::string name) {
    auto made = run(memory_.createCollection(shop_, std::move(name), {}, {}));
    EXPECT_TRUE(made);
    return *std::move(made);
  }

  CheckingExecutor executor_;
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_}};
  events::Dispatcher dispatcher_{{store_, memory_.feed(), queue_, snapshots_, cores_}};
  Functions functions_{{store_, snapshots_, dispatcher_, *data_, executor_, ids_, clock_, auditor_, variables_}};
};

}  // namespace mb::functions
