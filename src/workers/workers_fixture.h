// Workers on two cores with the fake worker (testing/fake_worker.cc), whose runs do what their module's source names.
#pragma once

#include <gtest/gtest.h>

#include <future>

#include "base/blocking.h"
#include "workers/workers.h"

namespace mb::workers {

inline std::filesystem::path nextToThisProgram(std::string_view name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

inline doc::Document text(std::string_view value) {
  doc::BsonWriter out;
  out.appendString("text", value);
  return out.finish();
}

// Returns each call's operation, once `holds` is false.
class FakeBridge : public Bridge {
 public:
  Task<doc::Value> call(std::string operation, doc::Document arguments) override {
    ++calls;
    while (holds) co_await sleepFor(std::chrono::milliseconds(5));
    if (operation == "fails" || fails) co_return fail(ErrorCode::forbidden, "not for you");
    doc::BsonWriter out;
    out.appendString("", large ? std::string(3 << 20, 'x') : operation);
    co_return doc::Value(out.finish().view().begin()->value);
  }
  void settled() override { ++ended; }
  clone::BridgeKind kind() const override { return given; }

  clone::BridgeKind given = clone::BridgeKind::full;
  std::atomic<int> calls{0};
  std::atomic<int> ended{0};
  std::atomic<bool> holds{false};
  std::atomic<bool> fails{false};
  std::atomic<bool> large{false};
};

class WorkersFixture : public ::testing::Test {
 protected:
  explicit WorkersFixture(int max = 8, std::filesystem::path program = nextToThisProgram("fake_worker"))
      : workers_({cores_, clock_, settingsOf(max), std::move(program)}) {
    cores_.start();
    workers_.start();
  }
  ~WorkersFixture() override { workers_.stop(); }

  static WorkerSettings settingsOf(int max) {
    WorkerSettings settings;
    settings.max = max;
    return settings;
  }

  struct With {
    store::ProjectNo project = 1;
    std::shared_ptr<Bridge> bridge = nullptr;
    std::chrono::milliseconds timeout{20'000};
    RunClass runClass = RunClass::normal;
    int core = 0;
    doc::Document event{};
    int version = 1;
    doc::Document context{};
    std::optional<std::string> rawBody = {};
  };

  std::future<RunOutcome> begin(std::string word, With with) {
    auto module = std::make_shared<Module>(Module{fmt::format("{}@{}", word, with.version), word, ""});
    RunRequest request{.project = with.project,
                       .module = std::move(module),
                       .event = std::move(with.event),
                       .context = std::move(with.context),
                       .rawBody = std::move(with.rawBody),
                       .timeout = with.timeout,
                       .runClass = with.runClass,
                       .bridge = std::move(with.bridge)};
    auto done = std::make_shared<std::promise<RunOutcome>>();
    asio::co_spawn(cores_.at(with.core).get_executor(), workers_.run(std::move(request)),
                   [done](const std::exception_ptr&, RunOutcome outcome) { done->set_value(std::move(outcome)); });
    return done->get_future();
  }
  std::future<RunOutcome> begin(std::string word) { return begin(std::move(word), With()); }
  // Repeats a run that was busy: on a loaded machine a process may take longer to start than a run waits.
  RunOutcome run(const std::string& word, const With& with) {
    RunOutcome outcome;
    for (int i = 0; i < 30; ++i) {
      outcome = begin(word, with).get();
      if (outcome.status != RunStatus::busy) break;
    }
    return outcome;
  }
  RunOutcome run(const std::string& word) { return run(word, With()); }
  std::string textOf(const RunOutcome& outcome) const {
    if (outcome.status != RunStatus::success) return "failed: " + outcome.error;
    return std::string(outcome.result.view().asString());
  }

  // Waits until `holds`, for at most ten seconds.
  template <class Condition>
  bool eventually(Condition holds) const {
    for (int i = 0; i < 2000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  ManualClock clock_{1'700'000'000'000};
  Cores cores_{2};
  Workers workers_;
};

}  // namespace mb::workers
