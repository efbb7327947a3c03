// What collections and indexes take: counts from memory, entries of indexes counted where they are few, else estimated.
#include <rocksdb/table_properties.h>

#include "base/cancellation.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

// An index with fewer entries is counted.
constexpr uint64_t kCountedEntries = 64;
constexpr std::chrono::seconds kUsageLimit{10};

// Whether each document has one entry.
bool holdsEachOnce(const Index& index) {
  return index.ready && !index.spec.sparse && !index.partial && index.traits->multikey.load() == 0;
}

// The first entries of an index.
struct Sample {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  bool whole = false;  // these are all
};

class UsageRun {
 public:
  UsageRun(Database& database, ProjectNo project, std::vector<CollectionHandle> collections)
      : database_(database), project_(project), collections_(std::move(collections)) {}

  // Continues until everything is measured (true) or `expired` returns true (false).
  Result<bool> run(const std::function<bool()>& expired) {
    // The few blocks of each index must not evict others.
    rocksdb::ReadOptions options = Database::reading(Tier::disk);
    options.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> at(database_.db().NewIterator(options, database_.family(Family::indexes)));
    for (; measured_.size() < collections_.size(); index_ = 0) {
      const CollectionHandle& collection = collections_[measured_.size()];
      for (; index_ < collection.schema->indexes.size(); ++index_) {
        if (expired()) return false;
        TRY(indexes_.emplace_back(), measure(*at, *collection.schema->indexes[index_], *collection.state));
      }
      addCollection(collection);
    }
    return true;
  }
  std::vector<CollectionUsage> take() { return std::move(measured_); }

 private:
  void addCollection(const CollectionHandle& collection) {
    CollectionUsage& usage = measured_.emplace_back();
    usage.number = collection.schema->number;
    usage.stats = {collection.state->documents.load(), collection.state->bytes.load()};
    usage.indexes = std::exchange(indexes_, {});
    if (const int64_t ms = collection.state->lastWriteMs.load()) usage.lastWrite = Timestamp{ms};
  }

  Result<IndexUsage> measure(rocksdb::Iterator& at, const Index& index, const CollectionState& state) const {
    TRY(const Sample sample, readSample(at, index.number));
    if (sample.whole) return IndexUsage{index.number, sample.entries, sample.bytes, false};
    IndexUsage usage = estimate(index.number, sample);
    const uint64_t documents = state.documents.load();
    const bool oneAtMost = index.traits->multikey.load() == 0;
    if (holdsEachOnce(index) || (oneAtMost && usage.entries > documents)) usage.entries = documents;
    usage.entries = std::max(usage.entries, sample.entries);
    usage.bytes = std::max(usage.bytes, sample.bytes);
    return usage;
  }

  Result<Sample> readSample(rocksdb::Iterator& at, IndexNo index) const {
    const std::string prefix = rangePrefix(project_, index);
    Sample sample;
    for (at.Seek(prefix); at.Valid() && at.key().starts_with(prefix); at.Next()) {
      if (sample.entries == kCountedEntries) return sample;
      ++sample.entries;
      sample.bytes += at.key().size() + at.value().size();
    }
    if (!at.status().ok()) return fail(readError(at.status()));
    sample.whole = true;
    return sample;
  }

  // From the sizes of the index's parts of files, and from how well their tables compress entries like the sample's.
  IndexUsage estimate(IndexNo index, const Sample& sample) const {
    const std::string from = rangePrefix(project_, index);
    const std::string to = successor(from);
    const rocksdb::Range range(slice(from), slice(to));
    auto* family = database_.family(Family::indexes);
    uint64_t fresh = 0;
    uint64_t freshBytes = 0;
    database_.db().GetApproximateMemTableStats(family, range, &fresh, &freshBytes);
    rocksdb::SizeApproximationOptions options;
    options.include_memtables = false;
    options.include_files = true;
    options.files_size_error_margin = 0.1;
    uint64_t inFiles = 0;
    const bool sized = database_.db().GetApproximateSizes(options, family, &range, 1, &inFiles).ok();
    if (!sized) inFiles = 0;
    const double entryBytes = static_cast<double>(sample.bytes) / static_cast<double>(sample.entries);
    const double filed = static_cast<double>(inFiles) / (entryBytes * compression(range));
    return {index, static_cast<uint64_t>(filed) + fresh, inFiles + freshBytes, true};
  }

  // The size in the tables of a byte of keys and values.
  double compression(const rocksdb::Range& range) const {
    rocksdb::TablePropertiesCollection tables;
    const auto status =
        database_.db().GetPropertiesOfTablesInRange(database_.family(Family::indexes), &range, 1, &tables);
    uint64_t raw = 0;
    uint64_t stored = 0;
    for (const auto& [_, table] : tables) {
      raw += table->raw_key_size + table->raw_value_size;
      stored += table->data_size;
    }
    return status.ok() && raw > 0 && stored > 0 ? static_cast<double>(stored) / static_cast<double>(raw) : 1;
  }

  Database& database_;
  const ProjectNo project_;
  const std::vector<CollectionHandle> collections_;
  std::vector<CollectionUsage> measured_;
  std::vector<IndexUsage> indexes_;  // of the collection that is being measured
  size_t index_ = 0;                 // the next one of it
};

}  // namespace

Task<std::vector<CollectionUsage>> Engine::usage(ProjectNo project, ReadOptions options) {
  const Gate::Holder holder(gate_);
  if (!holder) co_return stopping();
  std::vector<CollectionHandle> collections;
  for (const SchemaPtr& schema : catalogue_.userCollections(project)) {
    CollectionHandle handle = catalogue_.collection(project, schema->number);
    if (handle) collections.push_back(std::move(handle));
  }
  UsageRun run(*database_, project, std::move(collections));
  const Deadline until = std::min(orDefault(options.deadline), std::chrono::steady_clock::now() + kUsageLimit);
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  Result<> outcome;
  const bool taken = co_await scanPool_->run(project, [&](const std::function<bool()>& expired) {
    const auto ends = [&] { return expired() || left.isSet() || std::chrono::steady_clock::now() > until; };
    auto done = run.run(ends);
    if (done && *done) return true;
    if (!done) outcome = fail(std::move(done).error());
    if (outcome && left.isSet()) outcome = clientLeft();
    if (outcome && std::chrono::steady_clock::now() > until) {
      outcome = fail(ErrorCode::unavailable, "measuring the collections takes too long: try again");
    }
    return !outcome;
  });
  if (!taken) co_return gate_.closed() ? stopping() : fail(ErrorCode::unavailable, "too many scans wait: try again");
  CO_RETURN_IF_ERROR(std::move(outcome));
  co_return run.take();
}

}  // namespace mb::store::embedded
