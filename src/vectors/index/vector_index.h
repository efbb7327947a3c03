// A VectorIndex finds the nearest of its vectors: a hierarchical navigable small world graph (Malkov and Yashunin,
// 2016; TPAMI 2018) in memory, saved to a file. It holds ids and vectors, and is independent of documents.
//
// Threads: put(), remove() and save() are serialized by a lock of the index; a put takes about as long as a few
// searches, so all three belong on a worker pool. Searches hold locks only for the move of a pointer: any number of
// them run concurrently with each other and with the one writer. A search reads through a View, which is the index as
// it was when the view was opened: it does not see later puts and removes, it sees all earlier ones, and no slot that
// it may hold is reused while it is open. A view may move between threads.
//
// Memory: memoryFor() a vector, about 4 bytes a dimension (rounded up to 16 of them) and 8 * m + 100 for its links.
// Removed and replaced vectors are walked through until a sweep has taken them out of their neighbours' lists: the
// sweep begins when they are a tenth of all and advances with each write, so that they remain below about an eighth.
// Their memory is held longer only while a view is open.
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

// The score of two vectors: the cosine (-1 to 1; 0 if a vector is all zeros), the dot product, or the negated euclidean
// distance. Higher is nearer.
enum class Metric : uint8_t { cosine, dot, euclidean };

constexpr size_t kMaxDimensions = 4096;
constexpr size_t kMaxM = 128;
constexpr size_t kMaxIdBytes = 1024;

struct IndexOptions {
  size_t dimensions = 0;  // 1 to kMaxDimensions
  Metric metric = Metric::cosine;
  size_t m = 16;                // neighbours of a vector on the upper levels, twice as many on the lowest; 2 to kMaxM
  size_t efConstruction = 200;  // candidates for a new vector's neighbours; 4 to 4,000
  // Candidates that a search keeps if it sets no ef; 1 to 10,000. Among 100,000 vectors like embeddings, 300 find 0.98
  // of the ten nearest and 100 find 0.91 (bench/vector_index.cc).
  size_t efSearch = 300;

  bool operator==(const IndexOptions&) const = default;
};

// Fails with validation, which names the option that is out of bounds.
Result<> checkOptions(const IndexOptions& options);
// Fails with validation if the vector has other dimensions, a number that is not finite or, except with cosine, a
// length above 1e18.
Result<> checkVector(const IndexOptions& options, std::span<const float> vector);

struct Hit {
  Slot slot = 0;
  std::string id;
  double score = 0;
};

struct Search {
  size_t limit = 10;
  size_t ef = 0;  // candidates kept, at least `limit`; 0: the index's efSearch, or twice the limit if that is more
  // Only slots that both of these allow are returned; null and empty allow all. The walk passes through the others and
  // continues until `limit` allowed ones are found or nothing is left. `allows` is called only for slots that would be
  // among the results.
  const SlotSet* within = nullptr;
  std::function<bool(Slot)> allows = {};
  // Both end the search with `unavailable`; checked every few dozen steps.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* stop = nullptr;
};

// The contents of one index, in memory and in its file (graph.h).
class Graph;
// The epoch that a view holds open (epochs.h).
struct Epoch;

class View {
 public:
  View(View&& other) noexcept;
  View& operator=(View&& other) noexcept;
  ~View();

  // Vectors in the view.
  size_t size() const { return size_; }
  // The current slot of `id`: in the view, or put since.
  std::optional<Slot> slotOf(std::string_view id) const;
  // The slots of the ids that have a vector.
  SlotSet slotsOf(std::span<const std::string> ids) const;
  // Of a slot that this view returned. Valid as long as the view.
  std::string_view idOf(Slot slot) const;

  // The nearest, best first; equal scores by id. Fails as checkVector() does; with unavailable when stopped or past the
  // deadline. Measures each allowed vector if that is cheaper than walking the graph (few vectors, or few of them in
  // `within`): then the result is exact.
  Result<std::vector<Hit>> nearest(std::span<const float> query, const Search& search) const;
  // The same by measuring each vector; always exact.
  Result<std::vector<Hit>> exact(std::span<const float> query, const Search& search) const;
  // The same by walking the graph, however few vectors are allowed.
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
  // REQUIRES: checkOptions(options) succeeds.
  explicit VectorIndex(const IndexOptions& options);
  ~VectorIndex();
  VectorIndex(const VectorIndex&) = delete;
  VectorIndex& operator=(const VectorIndex&) = delete;

  const IndexOptions& options() const;
  // Adds or replaces the vector of an id of 1 to kMaxIdBytes bytes. Fails with validation as checkVector() does and for
  // the id, with unavailable if no memory or slot is left; then nothing has changed.
  Result<> put(std::string_view id, std::span<const float> vector);
  // True if the id had a vector.
  bool remove(std::string_view id);

  View view() const;
  // Number of vectors, and bytes of memory that they and their graph take.
  size_t size() const;
  size_t bytes() const;
  // Bytes that `vectors` vectors with ids of `idBytes` bytes take.
  static size_t memoryFor(const IndexOptions& options, size_t vectors, size_t idBytes = 24);

  // Writes the index and `position` (up to 64 KiB, returned by load()) to a file, atomically and synced. Writers wait
  // while it is copied out (about a second a gigabyte), not while it is synced.
  Result<> save(const std::filesystem::path& file, std::string_view position) const;
  struct Loaded;
  // Reads a file of save(). Fails with notFound if there is no file; with validation if it is corrupt, truncated or of
  // another format: the caller rebuilds the index.
  static Result<Loaded> load(const std::filesystem::path& file);

 private:
  friend class GraphProbe;  // for tests
  explicit VectorIndex(std::shared_ptr<Graph> graph);
  std::shared_ptr<Graph> graph_;
};

struct VectorIndex::Loaded {
  std::unique_ptr<VectorIndex> index;
  std::string position;
};

}  // namespace mb::vectors
