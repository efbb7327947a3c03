#include "store/embedded/faults/load_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "store/embedded/database.h"
#include "store/embedded/faults/fault_file_system.h"
#include "store/embedded/faults/standard_load.h"

namespace mb::store::embedded {

namespace {

constexpr const char* kTask = "MB_LOAD_TASK";
constexpr unsigned kHungAfterSeconds = 120;

std::string valueOf(const std::string& output, const std::string& word) {
  const size_t at = output.rfind("\n" + word + " ");
  if (at == std::string::npos) return {};
  const size_t from = at + word.size() + 2;
  return output.substr(from, output.find('\n', from) - from);
}

// The process of the load.
TEST(LoadProcess, DISABLED_Run) {
  const char* task = std::getenv(kTask);
  if (!task) GTEST_SKIP() << "started by other tests";
  std::istringstream words(task);
  std::string directory;
  int pipe = 0;
  int round = 0;
  Fault fault;
  words >> directory >> pipe >> round >> fault.failCall >> fault.cutPowerAt >> fault.seed >> fault.lyingSyncs;
  ::alarm(kHungAfterSeconds);
  auto files = std::make_shared<FaultFileSystem>(directory + ".trash");
  files->failCall(fault.failCall);
  files->cutPowerAt(fault.cutPowerAt, fault.seed);
  if (fault.lyingSyncs) files->lieAboutSyncs();
  useFileSystem(files);
  const int exit = runStandardLoad(directory, LineWriter(pipe), round);
  const std::string last = "\ncalls " + std::to_string(files->calls()) + "\nfailed " + files->failed() + "\n";
  if (::write(pipe, last.data(), last.size()) < 0) ::_exit(1);
  ::_exit(exit);
}

}  // namespace

uint64_t LoadRun::calls() const {
  const std::string number = valueOf(output, "calls");
  return number.empty() ? 0 : std::stoull(number);
}

std::string LoadRun::failed() const {
  return valueOf(output, "failed");
}

LoadRun runLoadProcess(const std::filesystem::path& directory, int round, const Fault& fault) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  const std::string errors = directory.string() + ".errors";
  const std::string task = fmt::format("{} {} {} {} {} {} {:d}", directory.string(), ends[1], round, fault.failCall,
                                       fault.cutPowerAt, fault.seed, fault.lyingSyncs);
  ::setenv(kTask, task.c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    if (!std::freopen(errors.c_str(), "w", stderr)) ::_exit(1);
    ::execl("/proc/self/exe", "load", "--gtest_also_run_disabled_tests", "--gtest_filter=LoadProcess.DISABLED_Run",
            "--gtest_brief=1", nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  LoadRun run;
  std::array<char, 65536> buffer;
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    run.output.append(buffer.data(), static_cast<size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) run.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  std::ifstream in(errors);
  run.errors.assign(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove_all(directory.string() + ".trash");
  return run;
}

}  // namespace mb::store::embedded
