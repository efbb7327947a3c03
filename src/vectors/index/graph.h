// The graph of a VectorIndex: stores the neighbours of each vector; walks, links and removes vectors.
//
// Terms: a vector is `removed` once it was removed or replaced; it is still walked through. A sweep takes the vectors
// that were removed before it began (its `dead`) out of all lists, then retires their slots; Epochs decides when they
// are free. Nothing links to a removed vector.
//
// The lowest lists hold a tree, so that every vector is reachable: each vector but the root has a parent, whose lowest
// list names it and does not drop it. Walks of the lowest level begin at the root, too.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "vectors/index/distance.h"
#include "vectors/index/epochs.h"
#include "vectors/index/id_table.h"
#include "vectors/index/slots.h"
#include "vectors/index/vector_index.h"

namespace mb::vectors {

// A slot and its distance; smaller is nearer, whatever the metric.
struct Near {
  float distance;
  Slot slot;
  auto operator<=>(const Near&) const = default;
};

// Floats, aligned and padded for the kernels.
class AlignedFloats {
 public:
  explicit AlignedFloats(size_t dimensions) : blocks_(padded(dimensions) / kLanes) {}
  float* data() { return blocks_.front().floats; }
  const float* data() const { return blocks_.front().floats; }

 private:
  struct alignas(64) Block {
    float floats[kLanes] = {};
  };
  std::vector<Block> blocks_;
};

// A bit for each slot that a walk has visited.
class Visited {
 public:
  void reset(size_t slots) {
    words_.assign((slots + 63) / 64, 0);
    slots_ = slots;
  }
  // Marks the slot; true at its first visit. Always false for slots that were added since reset().
  bool first(Slot slot) {
    if (slot >= slots_) return false;
    uint64_t& word = words_[slot / 64];
    const uint64_t bit = uint64_t{1} << (slot % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }
  bool has(Slot slot) const { return slot < slots_ && (words_[slot / 64] >> (slot % 64) & 1) != 0; }

 private:
  std::vector<uint64_t> words_;
  size_t slots_ = 0;
};

class Graph {
 public:
  explicit Graph(const IndexOptions& options);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const IndexOptions& options() const { return options_; }
  size_t size() const { return live_.load(std::memory_order_relaxed); }
  size_t bytes() const;

  // As in VectorIndex.
  Result<> put(std::string_view id, std::span<const float> vector);
  bool remove(std::string_view id);
  Result<> save(const std::filesystem::path& file, std::string_view position) const;
  static Result<std::shared_ptr<Graph>> load(const std::filesystem::path& file, std::string& position);

  // As in View, at a version.
  Epoch* enter(uint64_t& asOf, size_t& size) const;
  std::optional<Slot> slotOf(std::string_view id) const { return ids_.find(id); }
  std::string_view idOf(Slot slot) const {
    const Node& node = slots_.node(slot);
    return {node.id, node.idBytes};
  }
  bool scanIsCheaper(const Search& search, size_t size) const;
  Result<std::vector<Hit>> scan(std::span<const float> query, const Search& search, uint64_t asOf) const;
  Result<std::vector<Hit>> walk(std::span<const float> query, const Search& search, uint64_t asOf) const;

 private:
  friend class GraphFile;
  friend class GraphProbe;  // for tests

  // One list of a slot.
  struct List {
    Link* links;
    size_t capacity;
  };
  struct Sweep {
    bool running = false;
    uint64_t before = 0;     // its dead were removed at or before this version
    Slot at = 0;             // the next slot to sweep
    bool swept = false;      // no list names the dead any more
    Slot best = kNoSlot;     // the highest live vector of those swept
    std::vector<Slot> dead;  // to retire, from the back
  };

  // Distances (graph_search.cc).
  float distance(const float* probe, Slot slot) const;
  AlignedFloats prepared(std::span<const float> vector) const;
  double scoreOf(float distance) const;
  bool visible(Slot slot, const Search& search, uint64_t asOf) const;
  std::vector<Hit> hitsOf(std::vector<Near> found) const;

  // Walking (graph_walk.h), within the slots of one level.
  template <class Accepts, class Over>
  bool explore(const float* probe, int level, size_t ef, size_t max, std::vector<Near>& seeds, Visited& visited,
               const Accepts& accepts, const Over& over) const;
  Near descend(const float* probe, Slot entry, int level) const;

  // Linking (graph_links.cc). Only for the writer.
  bool isRemoved(Slot slot) const { return slots_.node(slot).removed.load(std::memory_order_relaxed) != kNever; }
  List listOf(Slot slot, int level) const;
  // The number of links that a list keeps when it is selected again: below its capacity, so that not every new link
  // causes a selection.
  static size_t minLinksOf(const List& list) { return list.capacity * 3 / 4; }
  static std::vector<Slot> read(const List& list);
  static void write(const List& list, std::span<const Slot> slots);
  std::vector<Near> nearsOf(Slot slot, std::span<const Slot> others) const;
  std::vector<Slot> childrenOf(Slot slot, std::span<const Slot> lowest) const;
  std::vector<Slot> select(std::span<const Near> candidates, std::span<const Slot> kept, size_t min, size_t max) const;
  std::vector<Near> candidatesAt(Slot slot, int level, std::vector<Near> seeds);
  void link(Slot slot);
  void linkBack(Slot from, Slot to, int level);
  void adopt(Slot slot, std::span<const Near> candidates);
  void growTree(Slot root);

  // Removal (graph_sweep.cc). Only for the writer.
  bool isDead(Slot slot) const;
  void advanceSweep();
  void sweepSlot(Slot slot);
  void repair(Slot slot, int level);
  std::vector<Near> poolOf(Slot slot, int level) const;
  std::vector<Slot> heirsOf(std::span<const Slot> dead) const;
  void considerAsEntry(Slot slot);
  void replaceDeadRoot();
  void markSweptDead();
  void retireDead();

  // Slots (graph.cc). Only for the writer.
  Slot takeSlot(std::string_view id, int level);
  bool furnish(Slot slot, std::string_view id, int level);
  void reclaim();
  void forget(Slot slot);
  int randomLevel();
  void markRemoved(Slot slot, uint64_t version);
  void publish(uint64_t version, int more);

  const IndexOptions options_;
  const size_t lowestLinks_;
  const Kernels& kernels_ = kernels();
  Slots slots_;
  IdTable ids_;
  Epochs epochs_;
  std::atomic<Slot> entry_{kNoSlot};  // a vector of the highest level
  std::atomic<Slot> root_{kNoSlot};
  std::atomic<uint64_t> version_{1};
  std::atomic<size_t> live_{0};
  std::atomic<size_t> sideBytes_{0};  // of ids and upper lists

  mutable std::mutex writer_;
  // The members below are guarded by writer_.
  uint64_t random_;
  size_t linked_ = 0;
  std::vector<Slot> free_;
  std::vector<Slot> removed_;  // not yet in a sweep
  Sweep sweep_;
  Visited visited_;
};

}  // namespace mb::vectors
