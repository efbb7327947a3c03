// The cost of the store alone: CPU time of the process for a create, a get by id and a list of 20 through an index,
// with 64 coroutines on two cores. embedded_bench [folder] [creates] [lists]; the folder is removed afterwards.
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <latch>

#include "base/id.h"
#include "document/filter.h"
#include "store/embedded/embedded_store.h"
#include "store/testing/running.h"

namespace mb::store {

namespace {

constexpr int kCoroutines = 64;
constexpr int kOwners = 500;

double cpuMicros() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

long residentKiB() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  std::array<char, 256> line;
  long kib = 0;
  while (status && std::fgets(line.data(), line.size(), status)) std::sscanf(line.data(), "VmRSS: %ld", &kib);
  if (status) std::fclose(status);
  return kib;
}

struct Bench {
  EmbeddedStore& store;
  Cores& cores;
  IdGenerator& ids;
  CollectionRef posts;
  std::vector<std::string> known;
  std::mutex mutex;
};

doc::Document makeDocument(const std::string& id, int n) {
  doc::BsonWriter writer;
  writer.appendString("id", id);
  writer.appendString("ownerId", fmt::format("user{:016}", n % kOwners));
  writer.appendString("title", fmt::format("The title of document number {}", n));
  writer.appendString("text", std::string(150, 'x'));
  writer.appendInt32("n", n);
  writer.appendDate("createdAt", {1'700'000'000'000 + n});
  return writer.finish();
}

Task<> create(Bench& bench, int worker, int times) {
  std::vector<std::string> made;
  for (int i = 0; i < times; ++i) {
    std::string id = bench.ids.next();
    WriteOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    options.actor = {ActorKind::user, "someone"};
    Write write(std::move(options));
    const Target post = write.change(bench.posts, id);
    const auto outcome = co_await bench.store.write(
        std::move(write),
        [&id = std::as_const(id), n = worker * times + i, post](const PreImages&, Changes& changes) -> Result<> {
          changes.put(post, makeDocument(id, n));
          return {};
        });
    if (!outcome) std::abort();
    made.push_back(std::move(id));
  }
  const std::lock_guard lock(bench.mutex);
  bench.known.insert(bench.known.end(), made.begin(), made.end());
  co_return Result<>();
}

Task<> get(Bench& bench, int worker, int times) {
  for (int i = 0; i < times; ++i) {
    const size_t which = (static_cast<size_t>(worker) * 7919 + static_cast<size_t>(i) * 104729) % bench.known.size();
    const auto found = co_await bench.store.get(bench.posts, bench.known[which]);
    if (!found || !*found) std::abort();
  }
  co_return Result<>();
}

Task<> list(Bench& bench, int worker, int times) {
  for (int i = 0; i < times; ++i) {
    doc::BsonWriter writer;
    writer.appendString("ownerId", fmt::format("user{:016}", (worker * 31 + i * 17) % kOwners));
    Query query;
    query.collection = bench.posts;
    query.filter = doc::Filter::parse(writer.finish()).value();
    query.limit = 20;
    query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    query.explain = true;
    const auto found = co_await bench.store.find(std::move(query));
    if (!found || found->documents.size() != 20 || found->explain.index != "ownerId_1") std::abort();
  }
  co_return Result<>();
}

using Work = Task<> (*)(Bench&, int, int);

void measure(Bench& bench, const char* name, Work work, int times) {
  const CommitStats before = bench.store.commitStats();
  const double cpu = cpuMicros();
  const auto start = std::chrono::steady_clock::now();
  std::latch left(kCoroutines);
  for (int i = 0; i < kCoroutines; ++i) {
    asio::co_spawn(bench.cores.at(i % bench.cores.count()).get_executor(), work(bench, i, times / kCoroutines),
                   [&](std::exception_ptr, Result<>) { left.count_down(); });
  }
  left.wait();
  const double done = times / kCoroutines * kCoroutines;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const CommitStats after = bench.store.commitStats();
  std::printf("%-8s %8.0f  %6.2f us CPU each  %8.0f /s", name, done, (cpuMicros() - cpu) / done, done / seconds);
  if (after.commits > before.commits) {
    std::printf("  %.1f writes a sync", static_cast<double>(after.writes - before.writes) /
                                            static_cast<double>(after.commits - before.commits));
  }
  std::printf("  %ld MiB resident\n", residentKiB() / 1024);
}

void runBench(const std::filesystem::path& folder, int creates, int lists) {
  SystemClock clock;
  Cores cores(2);
  cores.start();
  IdGenerator ids(clock);
  {
    auto store = EmbeddedStore::open(folder, EmbeddedSettings(), cores, {}, clock).value();
    store->rememberIdsOf(ids);
    const ProjectNo project = testing::runOn(cores, 0, store->allocateProject()).value();
    const auto info = testing::runOn(cores, 0, store->createCollection(project, "posts", {}, {})).value();
    Bench bench{*store, cores, ids, {project, info.number, info.version}, {}, {}};
    IndexSpec spec;
    spec.keys = {{"ownerId", 1}};
    if (!testing::runOn(cores, 0, store->createIndex(bench.posts, spec, {}))) std::abort();
    ++bench.posts.version;
    std::printf("idle: %ld MiB resident\n", residentKiB() / 1024);
    measure(bench, "create", create, creates);
    measure(bench, "get", get, creates * 4);
    measure(bench, "list 20", list, lists);
    // Alternately without and with a listener, since the store grows.
    for (int round = 0; round < 2; ++round) {
      measure(bench, "create", create, creates);
      std::atomic<uint64_t> lastPosition{0};
      const auto listening = store->listen([&](ProjectNo, uint64_t position) { lastPosition = position; });
      measure(bench, "listened", create, creates);
    }
    measure(bench, "get", get, creates * 4);
    const auto start = std::chrono::steady_clock::now();
    store.reset();
    std::printf("close: %.0f ms\n",
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const auto start = std::chrono::steady_clock::now();
  auto store = EmbeddedStore::open(folder, EmbeddedSettings(), cores, {}, clock).value();
  std::printf("open: %.0f ms\n",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

}  // namespace mb::store

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "embedded-bench-data";
  const int creates = argc > 2 ? std::atoi(argv[2]) : 50'000;
  mb::store::runBench(folder, creates, argc > 3 ? std::atoi(argv[3]) : creates / 2);
  std::filesystem::remove_all(folder);
}
