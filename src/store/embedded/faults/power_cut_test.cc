// Runs the standard load with the power cut at any of its file system calls: unsynced data is lost, acknowledged data
// is not. MB_POWER_CUTS is the number of rounds; ./test long powercut runs a hundred.
#include "store/embedded/database.h"
#include "store/embedded/faults/fault_file_system.h"
#include "store/embedded/faults/load_process.h"
#include "store/embedded/faults/standard_load.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {
constexpr uint64_t kQuickCuts = 6;
// Rounds on one directory before the next one is created.
constexpr uint64_t kOnOne = 10;
}  // namespace

// Tests the test: on a lying disk the loss is detected.
TEST(PowerCutTest, ADiskThatLiesIsFoundOut) {
  size_t problems = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const TemporaryFolder folder;
    const std::filesystem::path data = folder.path() / "data";
    Ledger ledger;
    ledger.read(runLoadProcess(data, 0, {}).output);
    const LoadRun run = runLoadProcess(data, 1, {.cutPowerAt = 300, .seed = seed, .lyingSyncs = true});
    EXPECT_EQ(run.exit, FaultFileSystem::kPowerCut);
    ledger.read(run.output);
    const StoreContents found = inspectStore(data);
    problems += found.problems.size() + ledger.compare(found.states).size();
  }
  EXPECT_GT(problems, 0u);
}

TEST(PowerCutTest, LosesNothingThatWasAcknowledged) {
  const char* setting = std::getenv("MB_POWER_CUTS");
  const char* seeded = std::getenv("MB_POWER_SEED");
  const uint64_t rounds = setting ? std::stoull(setting) : kQuickCuts;
  const uint64_t seed = seeded ? std::stoull(seeded) : std::random_device()();
  std::mt19937_64 chance(seed);
  std::optional<TemporaryFolder> folder;
  Ledger ledger;
  uint64_t calls = 0;
  uint64_t cuts = 0;
  size_t acknowledged = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    if (round % kOnOne == 0) {
      acknowledged += ledger.acknowledged();
      ledger = {};
      folder.emplace();
    }
    const std::filesystem::path data = folder->path() / "data";
    Fault fault;
    fault.seed = chance();
    if (calls > 0) fault.cutPowerAt = 1 + chance() % calls;
    const LoadRun run = runLoadProcess(data, static_cast<int>(round), fault);
    ledger.read(run.output);
    const std::string where = fmt::format("seed {}, round {}, power cut at call {}", seed, round, fault.cutPowerAt);
    if (calls == 0) calls = run.calls();
    cuts += run.exit == FaultFileSystem::kPowerCut ? 1 : 0;
    ASSERT_TRUE(run.exit == loadDone || run.exit == FaultFileSystem::kPowerCut)
        << where << ", exit " << run.exit << ", signal " << run.signal << "\n"
        << run.errors;
    const StoreContents found = inspectStore(data);
    ASSERT_EQ(found.problems, std::vector<std::string>()) << where << "\n" << run.errors;
    ASSERT_EQ(ledger.compare(found.states), std::vector<std::string>()) << where << "\n" << run.errors;
  }
  EXPECT_GT(cuts, rounds / 2);
  std::cout << cuts << " power cuts in " << rounds << " rounds, " << acknowledged + ledger.acknowledged()
            << " writes acknowledged, none lost, seed " << seed << "\n";
}

}  // namespace mb::store::embedded
