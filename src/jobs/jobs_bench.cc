// Measures how many jobs per second the queue processes, from commit to completion, alone and next to a dead receiver.
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <latch>

#include "base/log.h"
#include "jobs/jobs.h"
#include "store/embedded/embedded_store.h"

namespace mb::jobs {

namespace {

constexpr int kWriters = 32;

struct Bench {
  store::DocumentStore& store;
  Queue& queue;
  std::atomic<int> done{0};
  std::atomic<bool> open{false};
};

double cpuMicros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

Task<> handle(Bench& bench, JobRun run) {
  if (run.payload.view().stringOr("to") == "dead") {
    while (!bench.open) co_await sleepFor(std::chrono::milliseconds(20));
  } else {
    ++bench.done;
  }
  co_return Result<>();
}

Task<> write(Bench& bench, std::string to, int times) {
  for (int i = 0; i < times; ++i) {
    doc::BsonWriter payload;
    payload.appendString("to", to);
    payload.appendString("text", std::string(400, 'x'));
    CO_TRY(store::Insert job,
           bench.queue.insertOf({.kind = "bench", .project = 2, .payload = payload.finish(), .group = to}));
    const std::string id = job.id();
    store::WriteOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    store::Write write(std::move(options));
    write.insert(std::move(job));
    CO_RETURN_IF_ERROR(co_await bench.store.write(std::move(write), nullptr));
    bench.queue.wake({id});
  }
  co_return Result<>();
}

void writeAll(Bench& bench, Cores& cores, const std::string& to, int jobs) {
  std::latch left(kWriters);
  for (int i = 0; i < kWriters; ++i) {
    asio::co_spawn(cores.at(i % cores.count()).get_executor(), write(bench, to, jobs / kWriters),
                   [&](std::exception_ptr, Result<> result) {
                     if (!result) std::abort();
                     left.count_down();
                   });
  }
  left.wait();
}

void measure(Bench& bench, Cores& cores, const char* name, const std::string& to, int jobs) {
  const int before = bench.done;
  const double cpu = cpuMicros();
  const auto start = std::chrono::steady_clock::now();
  writeAll(bench, cores, to, jobs);
  const int wanted = before + jobs / kWriters * kWriters;
  while (bench.done < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-22s %7d jobs  %8.0f /s  %6.1f us CPU each\n", name, jobs, jobs / seconds, (cpuMicros() - cpu) / jobs);
  std::fflush(stdout);
}

void runBench(const std::filesystem::path& folder, int jobs) {
  SystemClock clock;
  Cores cores(2);
  cores.start();
  IdGenerator ids(clock);
  const MasterSecret master{Secret(std::string(32, 'k'))};
  auto store = store::EmbeddedStore::open(folder, {}, cores, systemCollections(), clock).value();
  Queue queue({*store, cores, ids, clock, master});
  Bench bench{*store, queue};
  Kind kind;
  kind.name = "bench";
  kind.handler = [&bench](JobRun run) { return handle(bench, std::move(run)); };
  kind.concurrency = kind.perProject = 64;
  kind.perGroup = 16;
  queue.declare(std::move(kind));
  queue.start();
  measure(bench, cores, "alone", "live", jobs);
  measure(bench, cores, "alone", "live", jobs);
  writeAll(bench, cores, "dead", 10'000);
  measure(bench, cores, "with a dead receiver", "live", jobs);
  bench.open = true;
  queue.stop(std::chrono::seconds(20));
  store.reset();
  cores.stop();
  cores.join();
}

}  // namespace

}  // namespace mb::jobs

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "jobs-bench-data";
  mb::initCrypto();
  mb::configureLog(mb::LogLevel::off, mb::LogFormat::text);
  mb::jobs::runBench(folder, argc > 2 ? std::atoi(argv[2]) : 20'000);
  std::filesystem::remove_all(folder);
}
