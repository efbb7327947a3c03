// Measures the vector index alone: build time, recall with and without filters, search time alone and with a concurrent
// writer, and memory. Prints one JSON object.
//
//   vector_index [--vectors 100000] [--dimensions 384] [--metric cosine|dot|euclidean] [--m 16] [--construction 200]
//                [--search 100] [--queries 300] [--noise 0|1] [--seconds 5]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tool.h"
#include "vectors/index/distance.h"
#include "vectors/index/vectors_fixture.h"

namespace {

using mb::vectors::Floats;
using mb::vectors::Hit;
using mb::vectors::Metric;
using mb::vectors::Search;
using mb::vectors::SlotSet;
using mb::vectors::VectorIndex;
using mb::vectors::View;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

struct Measurement {
  double recall = 0;
  double p50 = 0;
  double p99 = 0;
  std::string json() const {
    return fmt::format(R"({{"recall":{:.4f},"p50Ms":{:.3f},"p99Ms":{:.3f}}})", recall, p50, p99);
  }
};

enum class Method { walk, exact, nearest };

// Recall is relative to the results of exact(), which the unit tests compare with a plain loop.
Measurement measure(const VectorIndex& index, const std::vector<Floats>& queries, const SlotSet* within,
                    Method method) {
  const View view = index.view();
  const Search search = {.within = within};
  Measurement measurement;
  std::vector<double> millis;
  for (const Floats& query : queries) {
    const auto begin = Clock::now();
    const auto hits = method == Method::walk    ? view.walk(query, search)
                      : method == Method::exact ? view.exact(query, search)
                                                : view.nearest(query, search);
    millis.push_back(secondsSince(begin) * 1e3);
    std::vector<double> right;
    for (const Hit& hit : view.exact(query, search).value()) right.push_back(hit.score);
    measurement.recall += mb::vectors::recall(right, *hits) / static_cast<double>(queries.size());
  }
  measurement.p50 = percentile(millis, 0.5);
  measurement.p99 = percentile(millis, 0.99);
  return measurement;
}

// A hundred searches per second, while a writer replaces vectors as fast as it can.
Measurement measureWithWriter(VectorIndex& index, const std::vector<Floats>& queries, const std::vector<Floats>& others,
                              double seconds, double& putsPerSecond) {
  std::atomic<bool> done = false;
  std::thread writer([&] {
    const auto begin = Clock::now();
    size_t puts = 0;
    for (; !done; ++puts) {
      if (!index.put(fmt::format("{:024}", puts * 7919 % index.size()), others[puts % others.size()])) std::abort();
    }
    putsPerSecond = static_cast<double>(puts) / secondsSince(begin);
  });
  std::vector<double> millis;
  const auto begin = Clock::now();
  for (size_t i = 0; secondsSince(begin) < seconds; ++i) {
    const auto due = begin + std::chrono::milliseconds(10 * i);
    std::this_thread::sleep_until(due);
    if (!index.view().nearest(queries[i % queries.size()], {})) std::abort();
    millis.push_back(secondsSince(due) * 1e3);
  }
  done = true;
  writer.join();
  return {0, percentile(millis, 0.5), percentile(millis, 0.99)};
}

double residentBytes() {
  std::ifstream in("/proc/self/statm");
  double size = 0;
  double resident = 0;
  in >> size >> resident;
  return resident * 4096;
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 100'000;
  size_t queryCount = 300;
  std::string metric = "cosine";
  bool noise = false;
  double seconds = 5;
  mb::vectors::IndexOptions options{.dimensions = 384};
  bench::Arguments()
      .take("--vectors", count)
      .take("--dimensions", options.dimensions)
      .take("--metric", metric)
      .take("--m", options.m)
      .take("--construction", options.efConstruction)
      .take("--search", options.efSearch)
      .take("--queries", queryCount)
      .take("--noise", noise)
      .take("--seconds", seconds)
      .read(argc, argv);
  options.metric = metric == "dot" ? Metric::dot : metric == "euclidean" ? Metric::euclidean : Metric::cosine;
  if (const auto checked = mb::vectors::checkOptions(options); !checked) bench::die(checked.error().message());

  mb::vectors::Texts texts(options.dimensions, 1000, 24, 7);
  const std::vector<Floats> queries =
      noise ? mb::vectors::noise(queryCount, options.dimensions, 2) : texts.many(queryCount);
  const std::vector<Floats> others = noise ? mb::vectors::noise(2000, options.dimensions, 3) : texts.many(2000);
  const double residentBefore = residentBytes();
  VectorIndex index(options);
  double buildSeconds = 0;
  for (size_t i = 0; i < count; ++i) {
    const Floats vector =
        noise ? mb::vectors::noise(1, options.dimensions, static_cast<uint32_t>(i + 4)).front() : texts.next();
    const auto begin = Clock::now();
    if (!index.put(fmt::format("{:024}", i), vector)) bench::die("put");
    buildSeconds += secondsSince(begin);
  }
  const double resident = residentBytes() - residentBefore;

  std::string figures;
  const auto add = [&](std::string_view name, const std::string& value) {
    figures += fmt::format(R"(,"{}":{})", name, value);
  };
  add("walk", measure(index, queries, nullptr, Method::walk).json());
  add("exact", measure(index, queries, nullptr, Method::exact).json());
  for (const size_t oneIn : {2, 3, 5, 10, 100, 1000}) {
    SlotSet within;
    for (size_t slot = 0; slot < count; ++slot) {
      if (slot * 2654435761 % 4294967296 / 7 % oneIn == 0) within.add(static_cast<mb::vectors::Slot>(slot));
    }
    add(fmt::format("oneIn{}Walk", oneIn), measure(index, queries, &within, Method::walk).json());
    add(fmt::format("oneIn{}Exact", oneIn), measure(index, queries, &within, Method::exact).json());
    add(fmt::format("oneIn{}", oneIn), measure(index, queries, &within, Method::nearest).json());
  }
  double puts = 0;
  const Measurement withWriter = measureWithWriter(index, queries, others, seconds, puts);
  add("besideWriter",
      fmt::format(R"({{"p50Ms":{:.3f},"p99Ms":{:.3f},"putsASecond":{:.0f}}})", withWriter.p50, withWriter.p99, puts));

  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("vector_index_bench.{}", ::getpid());
  const auto saving = Clock::now();
  if (!index.save(file, "")) bench::die("save");
  add("saveSeconds", fmt::format("{:.2f}", secondsSince(saving)));
  const auto loading = Clock::now();
  const auto loaded = VectorIndex::load(file);
  if (!loaded) bench::die("load");
  add("loadSeconds", fmt::format("{:.2f}", secondsSince(loading)));
  add("fileBytes", fmt::format("{}", std::filesystem::file_size(file)));
  std::filesystem::remove(file);
  fmt::print(
      R"({{"kernel":"{}","vectors":{},"dimensions":{},"metric":"{}","buildSeconds":{:.1f},"bytesAVector":{:.0f},"residentAVector":{:.0f}{}}})"
      "\n",
      mb::vectors::kernels().name, count, options.dimensions, metric, buildSeconds,
      static_cast<double>(mb::vectors::VectorIndex::memoryFor(options, count)) / static_cast<double>(count),
      resident / static_cast<double>(count), figures);
}
