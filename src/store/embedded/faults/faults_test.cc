// The standard load with each of its calls of the file system failing once: every run ends by itself or stops in a
// clean way, and what it acknowledged is there afterwards. MB_FAULT_CALLS says how many calls, spread over the load
// ("all" for each); ./test long faults tries them all.
#include "store/embedded/database.h"
#include "store/embedded/faults/fault_file_system.h"
#include "store/embedded/faults/load_process.h"
#include "store/embedded/faults/standard_load.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

constexpr uint64_t kQuickCalls = 12;

// Ended as it should: by itself, unable to open with a line that says why, or stopped with one line that says why.
std::string judge(const LoadRun& run) {
  const auto says = [&](std::string_view text) { return run.errors.find(text) != std::string::npos; };
  if (run.exit == loadDone) return {};
  if (run.exit == loadCannotOpen) return says("cannot open: ") ? "" : "it could not open and does not say why";
  if (run.exit == kStoreFailedExit)
    return says("the store failed, the process ends") ? "" : "it stopped without a word";
  return fmt::format("it ended with exit code {} and signal {}", run.exit, run.signal);
}

uint64_t wanted(uint64_t calls) {
  const char* asked = std::getenv("MB_FAULT_CALLS");
  if (!asked) return kQuickCalls;
  return std::string_view(asked) == "all" ? calls : std::stoull(asked);
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
    ledger.read(whole.told);
    ASSERT_GT(ledger.acknowledged(), 50u);
    const Found found = lookThrough(folder.path() / "data");
    ASSERT_EQ(found.problems, std::vector<std::string>());
    ASSERT_EQ(ledger.compare(found.states), std::vector<std::string>());
  }
  ASSERT_GT(calls, 100u);
  const uint64_t tried = std::min(wanted(calls), calls);
  std::map<std::string, int> endings;
  std::chrono::milliseconds slowest{0};
  std::string slowestAt;
  for (uint64_t i = 0; i < tried; ++i) {
    // On what a load before it left, so that failing calls meet files to be read, too.
    const TemporaryFolder folder;
    const std::filesystem::path data = folder.path() / "data";
    const uint64_t call = 1 + i * calls / tried;
    Ledger ledger;
    const int before = i % 2 == 0 ? 0 : 1;
    if (before == 1) ledger.read(runLoadProcess(data, 0, {}).told);
    const auto began = std::chrono::steady_clock::now();
    const LoadRun run = runLoadProcess(data, before, {.failCall = call});
    ledger.read(run.told);
    const std::string where = fmt::format("call {} of {} ({}), exit {}", call, calls, run.failed(), run.exit);
    EXPECT_EQ(judge(run), "") << where << "\n" << run.errors;
    ++endings[run.exit == loadDone ? "went on" : run.exit == loadCannotOpen ? "did not open" : "stopped"];
    const Found found = lookThrough(data);
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
