// An index of vectors by nearness: a hierarchical navigable small world graph (Malkov and Yashunin, 2016; TPAMI 2018)
// in memory, saved to a file. It knows ids and vectors, nothing of documents.
//
// Threads: put(), remove() and save() take turns under a lock of the index; a put takes about as long as a handful of
// searches, so all three belong on a worker pool. Searches take no lock that is held for longer than a pointer's move:
// any number of them run beside each other and beside the one writer. A search goes through a View, which is the index
// as it was when the view was opened: later puts and removes do not show in it, and no slot that it knows is given to
// another vector while it is open. What was put before a view was opened is in it. Views may go from thread to thread.
//
// Memory: memoryFor() a vector, about 4 bytes a dimension (rounded up to 16 of them) and 8 * m + 100 for its place in
// the graph. Removed and replaced vectors are walked through until a sweep has taken them out of their neighbours'
// lists: the sweep begins when they are a tenth of all and advances with each write, so that they stay below about an
// eighth of it, and longer only where a view stays open.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "vectors/index/slot_set.h"

namespace mb::vectors {

// What nearer means, and what a score is: the cosine (-1 to 1; 0 where a vector is all zeros), the dot product, or the
// negated euclidean distance. Higher is nearer.
enum class Metric : uint8_t { cosine, dot, euclidean };

constexpr size_t kMaxDimensions = 4096;
constexpr size_t kMaxM = 128;
constexpr size_t kMaxIdBytes = 1024;

struct IndexOptions {
  size_t dimensions = 0;  // 1 to kMaxDimensions
  Metric metric = Metric::cosine;
  size_t m = 16;                // neighbours of a vector on the upper levels, twice as many on the lowest; 2 to kMaxM
  size_t efConstruction = 200;  // candidates looked at for a new vector's neighbours; 4 to 4,000
  // Candidates that a search keeps where it names no ef; 1 to 10,000. At 100,000 vectors such as embeddings are, 300
  // find 0.98 of the ten nearest and 100 find 0.91 (bench/vector_index.cc).
  size_t efSearch = 300;

  bool operator==(const IndexOptions&) const = default;
};

// Validation names the option that is out of bounds.
Result<> checkOptions(const IndexOptions& options);
// Validation where a vector has other dimensions, a number that is not finite or, but for cosine, a length above 1e18.
Result<> checkVector(const IndexOptions& options, std::span<const float> vector);

struct Hit {
  Slot slot = 0;
  std::string id;
  double score = 0;
};

struct Search {
  size_t limit = 10;
  size_t ef = 0;  // candidates kept, at least `limit`; 0: the index's efSearch, or twice the limit where that is more
  // Only slots that both of these allow are given; null and empty allow all. The walk goes through the others and on
  // until `limit` allowed ones are found or nothing is left. `allows` is asked only of slots that would be among the
  // results.
  const SlotSet* within = nullptr;
  std::function<bool(Slot)> allows = {};
  // Ends the search with `unavailable`; looked at every few dozen steps.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* stop = nullptr;
};

// What is in memory for one index, and what stands in a file.
class Graph;
// A time of the index that a view holds.
struct Epoch;

class View {
 public:
  View(View&& other) noexcept;
  View& operator=(View&& other) noexcept;
  ~View();

  // Vectors in the view.
  size_t size() const { return size_; }
  // Where the vector of `id` stands now: of the view, or put since.
  std::optional<Slot> slotOf(std::string_view id) const;
  // Those of the ids that have a vector.
  SlotSet slotsOf(std::span<const std::string> ids) const;
  // Of a slot that this view gave. Valid as long as the view.
  std::string_view idOf(Slot slot) const;

  // The nearest, best first; equal scores by id. Validation as checkVector(); unavailable when stopped or past the
  // deadline. Measures each vector that may be given where that is cheaper than walking the graph (few vectors, or few
  // of them within): then the answer is exact.
  Result<std::vector<Hit>> nearest(std::span<const float> query, const Search& search) const;
  // The same by measuring each vector, always exact.
  Result<std::vector<Hit>> exact(std::span<const float> query, const Search& search) const;
  // The same by walking the graph, however few may be given.
  Result<std::vector<Hit>> walk(std::span<const float> query, const Search& search) const;

 private:
  friend class VectorIndex;
  View(std::shared_ptr<const Graph> graph, Epoch* epoch, uint64_t asOf, size_t size)
      : graph_(std::move(graph)), epoch_(epoch), asOf_(asOf), size_(size) {}
  void close();

  std::shared_ptr<const Graph> graph_;
  Epoch* epoch_;
  uint64_t asOf_;
  size_t size_;
};

class VectorIndex {
 public:
  // Options that checkOptions() takes.
  explicit VectorIndex(const IndexOptions& options);
  ~VectorIndex();
  VectorIndex(const VectorIndex&) = delete;
  VectorIndex& operator=(const VectorIndex&) = delete;

  const IndexOptions& options() const;
  // Puts or replaces the vector of an id of 1 to kMaxIdBytes bytes. Validation as checkVector() and for the id,
  // unavailable where there is no memory or no slot left; then nothing has changed.
  Result<> put(std::string_view id, std::span<const float> vector);
  // Whether there was one.
  bool remove(std::string_view id);

  View view() const;
  // Vectors, and bytes of memory that they and their graph take.
  size_t size() const;
  size_t bytes() const;
  // Bytes that so many vectors take, ids of `idBytes` each.
  static size_t memoryFor(const IndexOptions& options, size_t vectors, size_t idBytes = 24);

  // Writes all to a file that is there whole and synced, or not at all; with `position`, up to 64 KiB that the caller
  // gets back. Writers wait while it is copied out (about a second a gigabyte), not while it is synced.
  Result<> save(const std::filesystem::path& file, std::string_view position) const;
  struct Loaded;
  // What save() wrote. notFound without the file; validation where it is damaged, cut short or of another format: the
  // caller builds anew.
  static Result<Loaded> load(const std::filesystem::path& file);

 private:
  friend class GraphProbe;  // what tests look at
  explicit VectorIndex(std::shared_ptr<Graph> graph);
  std::shared_ptr<Graph> graph_;
};

struct VectorIndex::Loaded {
  std::unique_ptr<VectorIndex> index;
  std::string position;
};

}  // namespace mb::vectors
