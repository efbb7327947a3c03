// Runs the standard load with each of its file system calls failing once: every run ends by itself or stops cleanly,
// and what it acknowledged is present afterwards. MB_FAULT_CALLS is the number of calls to test, spread over the load
// ("all" for each); ./test long faults tests them all.
#include "store/embedded/database.h"
#include "store/embedded/faults/fault_file_system.h"
#include "store/embedded/faults/load_process.h"
#include "store/embedded/faults/standard_load.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

constexpr uint64_t kQuickCalls = 12;

// "" if the run ended as required: by itself, unable to open with an error message, or stopped with an error message.
std::string exitProblem(const LoadRun& run) {
  const auto reports = [&](std::string_view text) { return run.errors.find(text) != std::string::npos; };
  if (run.exit == loadDone) return {};
  if (run.exit == loadCannotOpen) return reports("cannot open: ") ? "" : "it could not open and reported no reason";
  if (run.exit == kStoreFailedExit)
    return reports("the store failed; the process ends") ? "" : "it stopped and reported no reason";
  return fmt::format("it ended with exit code {} and signal {}", run.exit, run.signal);
}

uint64_t wanted(uint64_t calls) {
  const char* setting = std::getenv("MB_FAULT_CALLS");
  if (!setting) return kQuickCalls;
  return std::string_view(setting) == "all" ? calls : std::stoull(setting);
}

}  // namespace

TEST(FaultsTest, EveryFailingCallEndsInACleanErrorOrACleanStop) {
  uint64_t calls = 0;
  {
    const TemporaryFolder folder;
    const LoadRun whole = runLoadProcess(folder.path() / "data", 0, {});
    ASSERT_EQ(whole.exit, loadDone) << whole.errors;
    calls = whole.calls();
    Ledger ledger;
    ledger.read(whole.output);
    ASSERT_GT(ledger.acknowledged(), 50u);
    const StoreContents found = inspectStore(folder.path() / "data");
    ASSERT_EQ(found.problems, std::vector<std::string>());
    ASSERT_EQ(ledger.compare(found.states), std::vector<std::string>());
  }
  ASSERT_GT(calls, 100u);
  const uint64_t tried = std::min(wanted(calls), calls);
  std::map<std::string, int> endings;
  std::chrono::milliseconds slowest{0};
  std::string slowestAt;
  for (uint64_t i = 0; i < tried; ++i) {
    // Every second run starts on the data of an earlier load, so that failing calls include reads of files.
    const TemporaryFolder folder;
    const std::filesystem::path data = folder.path() / "data";
    const uint64_t call = 1 + i * calls / tried;
    Ledger ledger;
    const int before = i % 2 == 0 ? 0 : 1;
    if (before == 1) ledger.read(runLoadProcess(data, 0, {}).output);
    const auto began = std::chrono::steady_clock::now();
    const LoadRun run = runLoadProcess(data, before, {.failCall = call});
    ledger.read(run.output);
    const std::string where = fmt::format("call {} of {} ({}), exit {}", call, calls, run.failed(), run.exit);
    EXPECT_EQ(exitProblem(run), "") << where << "\n" << run.errors;
    ++endings[run.exit == loadDone ? "continued" : run.exit == loadCannotOpen ? "did not open" : "stopped"];
    const StoreContents found = inspectStore(data);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    if (took > slowest) slowestAt = where;
    slowest = std::max(slowest, took);
    EXPECT_EQ(found.problems, std::vector<std::string>()) << where << "\n" << run.errors;
    EXPECT_EQ(ledger.compare(found.states), std::vector<std::string>()) << where << "\n" << run.errors;
  }
  std::cout << calls << " calls; the slowest took " << slowest.count() << " ms: " << slowestAt << "\n";
  for (const auto& [how, times] : endings) std::cout << times << " of " << tried << " loads " << how << "\n";
}

}  // namespace mb::store::embedded
