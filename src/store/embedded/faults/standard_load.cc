#include "store/embedded/faults/standard_load.h"

#include <cstdio>

#include "document/json.h"
#include "store/embedded/faults/load_store.h"

namespace mb::store::embedded {

namespace {

constexpr int kWriters = 4;
constexpr int kSteps = 14;
constexpr int kNames = 12;  // of documents, per writer

IndexSpec indexOn(std::vector<IndexKey> keys, bool unique = false) {
  IndexSpec spec;
  spec.keys = std::move(keys);
  spec.unique = unique;
  return spec;
}

doc::Document content(std::string_view id, std::string_view state) {
  return doc::parseJson(fmt::format(R"({{"id":"{0}","n":"{0}/{1}","state":"{1}","tags":["{1}","{2}"],"text":"{3}"}})",
                                    id, state, id.back(), std::string(300, 'x')))
      .value();
}

class Load {
 public:
  Load(EmbeddedStore& store, Cores& cores, const LineWriter& lines, int round)
      : store_(store), cores_(cores), lines_(lines), round_(round) {}

  // Creates or finds the project and collection of all rounds; false on failure.
  bool prepare() {
    project_ = kLoadProject;
    auto there = runOn(cores_, 0, store_.collections(project_));
    if (!there) return false;
    if (there->empty() && store_.epoch(project_) == 0) {
      const auto result = runOn(cores_, 0, store_.allocateProject());
      if (!result) return false;
      project_ = *result;
    }
    if (!posts()) {
      lines_.begin("name", "posts");
      const auto result = runOn(cores_, 0, store_.createCollection(project_, "posts", {}, {}));
      lines_.end("name", result.has_value());
      if (!result) return false;
    }
    ensureIndex("n_1", indexOn({{"n", 1}}, true));
    ensureIndex("tags_1_state_-1", indexOn({{"tags", 1}, {"state", -1}}));
    return true;
  }

  void run() {
    std::vector<std::future<void>> writers;
    for (int writer = 0; writer < kWriters; ++writer) writers.push_back(startWriter(writer, kSteps));
    change("collection:extra", "1", [this] { return runOn(cores_, 1, makeExtra()); });
    ensureIndex("state_1", indexOn({{"state", 1}}));
    rename(round_ % 2 == 0 ? "articles" : "posts");
    change("collection:extra", std::string(kAbsent), [this] { return runOn(cores_, 1, dropExtra()); });
    for (auto& writer : writers) writer.wait();
    NullProgress progress;
    static_cast<void>(store_.compact(std::nullopt, progress));
    dropIndex("state_1");
  }

  void readAgain() {
    const auto collection = posts();
    if (!collection) return;
    Query query;
    query.collection = *collection;
    query.limit = 1000;
    static_cast<void>(runOn(cores_, 0, store_.find(query)));
    query.filter = doc::Filter::parse(doc::parseJson(R"({"tags": "1"})").value()).value();
    static_cast<void>(runOn(cores_, 0, store_.find(query)));
    startWriter(kWriters, kSteps / 2).wait();
  }

 private:
  std::optional<CollectionRef> named(std::string_view name) {
    const auto all = runOn(cores_, 0, store_.collections(project_));
    if (!all) return std::nullopt;
    for (const CollectionInfo& info : *all) {
      if (info.name == name) return CollectionRef{project_, info.number, info.version};
    }
    return std::nullopt;
  }
  std::optional<CollectionRef> posts() {
    auto found = named("posts");
    return found ? found : named("articles");
  }

  // Makes a change that the ledger records; repeats it if the catalogue changed concurrently.
  template <class Make>
  void change(const std::string& key, const std::string& state, const Make& make) {
    lines_.begin(key, state);
    auto result = make();
    for (int attempt = 0; attempt < 20 && !result && result.error().code() == ErrorCode::staleCatalogue; ++attempt) {
      result = make();
    }
    lines_.end(key, result.has_value());
  }

  Task<> makeExtra() {
    CO_TRY(const CollectionInfo info, co_await store_.createCollection(project_, "extra", {}, {}));
    const CollectionRef extra{project_, info.number, info.version};
    for (int i = 0; i < 3; ++i) {
      // The ledger does not check these documents; the check finds keys that are left over.
      static_cast<void>(co_await put({extra}, fmt::format("x{}", i), "x"));
    }
    co_return Result<>();
  }
  Task<> dropExtra() {
    CO_TRY(const std::vector<CollectionInfo> all, co_await store_.collections(project_));
    for (const CollectionInfo& info : all) {
      if (info.name == "extra") co_return co_await store_.dropCollection({project_, info.number, info.version}, {});
    }
    co_return Result<>();
  }

  void ensureIndex(const std::string& name, const IndexSpec& spec) {
    const auto all = runOn(cores_, 0, store_.collections(project_));
    if (!all) return;
    for (const CollectionInfo& info : *all) {
      for (const IndexInfo& index : info.indexes) {
        if (index.spec.name == name) return;
      }
    }
    change("index:" + name, "1", [&]() -> Result<> {
      const auto collection = posts();
      if (!collection) return fail(ErrorCode::notFound, "no collection");
      RETURN_IF_ERROR(runOn(cores_, 1, store_.createIndex(*collection, spec, {})));
      return {};
    });
  }
  void dropIndex(const std::string& name) {
    change("index:" + name, std::string(kAbsent), [&]() -> Result<> {
      const auto collection = posts();
      if (!collection) return fail(ErrorCode::notFound, "no collection");
      auto dropped = runOn(cores_, 1, store_.dropIndex(*collection, name, {}));
      if (!dropped && dropped.error().code() == ErrorCode::notFound) return {};
      return dropped;
    });
  }
  void rename(const std::string& name) {
    change("name", name, [&]() -> Result<> {
      const auto collection = posts();
      if (!collection) return fail(ErrorCode::notFound, "no collection");
      Alteration alteration;
      alteration.name = name;
      RETURN_IF_ERROR(runOn(cores_, 1, store_.alterCollection(*collection, std::move(alteration), {})));
      return {};
    });
  }

  // Writes the document with this id to each of the collections in one write.
  Task<WriteOutcome> put(std::vector<CollectionRef> collections, std::string id, std::string state) {
    Write write{WriteOptions()};
    std::vector<Target> documents;
    for (const CollectionRef& collection : collections) documents.push_back(write.change(collection, id));
    return store_.write(std::move(write),
                        [documents = std::move(documents), id = std::move(id), state = std::move(state)](
                            const PreImages&, Changes& changes) -> Result<> {
                          for (const Target document : documents) {
                            changes.set(document,
                                        state == kAbsent ? Change::remove() : Change::put(content(id, state)));
                          }
                          return {};
                        });
  }

  // Each name has one writer, so its states have a defined order.
  Task<> write(int writer, int steps) {
    for (int step = 0; step < steps; ++step) {
      const bool pair = step % 3 == 0;
      const int name = (step * 5 + round_) % kNames;
      const std::string id = fmt::format("{}{}-{}", pair ? "pair" : "one", writer, name);
      const bool goes = (step + round_) % 7 == 6;
      const std::string state = goes ? std::string(kAbsent) : fmt::format("{}.{}", round_, step);
      const std::string key = "document:" + id;
      lines_.begin(key, state);
      bool acknowledged = false;
      for (int attempt = 0; attempt < 20; ++attempt) {
        auto all = co_await store_.collections(project_);
        if (!all) break;
        const auto at = std::find_if(all->begin(), all->end(), [](const CollectionInfo& info) {
          return info.name == "posts" || info.name == "articles";
        });
        if (at == all->end()) break;
        std::vector<CollectionRef> collections{{project_, at->number, at->version}};
        if (pair) collections.push_back({project_, kPairs, 0});
        const auto outcome = co_await put(std::move(collections), id, state);
        acknowledged = outcome.has_value();
        if (outcome || outcome.error().code() != ErrorCode::staleCatalogue) break;
      }
      lines_.end(key, acknowledged);
    }
    co_return Result<>();
  }
  std::future<void> startWriter(int writer, int steps) {
    auto done = std::make_shared<std::promise<void>>();
    asio::co_spawn(cores_.at(writer % cores_.count()).get_executor(), write(writer, steps),
                   [done](std::exception_ptr, Result<>) { done->set_value(); });
    return done->get_future();
  }

  EmbeddedStore& store_;
  Cores& cores_;
  const LineWriter& lines_;
  const int round_;
  ProjectNo project_ = 0;
};

}  // namespace

int runStandardLoad(const std::filesystem::path& directory, const LineWriter& lines, int round) {
  RunningCores running;
  const SystemClock clock;
  for (int start = 0; start < 2; ++start) {
    auto store = openLoadStore(directory, running.cores, clock);
    if (!store) {
      std::fprintf(stderr, "cannot open: %s\n", store.error().message().c_str());
      return loadCannotOpen;
    }
    Load load(**store, running.cores, lines, round);
    if (!load.prepare()) continue;
    if (start == 1) {
      load.readAgain();
      continue;
    }
    load.run();
    const std::filesystem::path copy = directory / "copy";
    static_cast<void>((*store)->checkpoint(copy));
    std::error_code ignored;
    std::filesystem::remove_all(copy, ignored);
  }
  return loadDone;
}

}  // namespace mb::store::embedded
