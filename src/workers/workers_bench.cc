// Measures the cost of a run of a worker alone: workers_bench [runs] [at once] [program].
#include <sys/resource.h>

#include <cstdio>

#include "base/blocking.h"
#include "workers/workers.h"

namespace {

using namespace mb;
using namespace mb::workers;

constexpr std::string_view kSource = "export default () => ({ status: 200, body: { hello: 'world' } });";

double cpuMicros(int who) {
  rusage usage;
  ::getrusage(who, &usage);
  const auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

struct Bench {
  Workers& workers;
  ModulePtr module;
  std::atomic<int> left;
  std::atomic<int> failed = 0;
};

doc::Document request() {
  doc::BsonWriter out;
  out.beginDocument("request");
  out.appendString("method", "GET");
  out.appendString("path", "/hello");
  out.beginDocument("headers");
  out.appendString("host", "localhost");
  out.end();
  out.end();
  return out.finish();
}

Task<> loop(Bench& bench) {
  while (--bench.left >= 0) {
    RunRequest run{
        .project = 1, .module = bench.module, .event = doc::Document(), .context = request(), .bridge = nullptr};
    const RunOutcome outcome = co_await bench.workers.run(std::move(run));
    if (outcome.status != RunStatus::success) ++bench.failed;
  }
  co_return Result<>();
}

void runs(Cores& cores, Bench& bench, int count, int atOnce) {
  bench.left = count;
  std::vector<std::future<void>> all;
  for (int i = 0; i < atOnce; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    all.push_back(done->get_future());
    asio::co_spawn(cores.at(i % cores.count()), loop(bench),
                   [done](const std::exception_ptr&, Result<>) { done->set_value(); });
  }
  for (auto& one : all) one.get();
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 50'000;
  const int atOnce = argc > 2 ? std::atoi(argv[2]) : 64;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "manybase-worker";
  const SystemClock clock;
  Cores cores(static_cast<int>(std::thread::hardware_concurrency()));
  cores.start();
  Workers workers({cores, clock, WorkerSettings(), argc > 3 ? std::filesystem::path(argv[3]) : beside});
  workers.start();
  Bench bench{workers, std::make_shared<Module>(Module{"bench@1", std::string(kSource), ""}), 0};
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  runs(cores, bench, 2000, atOnce);

  const double before = cpuMicros(RUSAGE_SELF);
  const auto began = std::chrono::steady_clock::now();
  runs(cores, bench, count, atOnce);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const double server = (cpuMicros(RUSAGE_SELF) - before) / count;
  const auto alive = workers.stats().alive;
  workers.stop();
  const double worker = cpuMicros(RUSAGE_CHILDREN) / (count + 2000);
  std::printf(
      "%d runs, %d at once: %.0f a second, CPU %.1f us here, %.1f us in workers (their start included), %zu workers, "
      "%d failed\n",
      count, atOnce, count / took.count(), server, worker, alive, bench.failed.load());
}
