#include <cmath>

#include "vectors/index/graph_walk.h"

namespace mb::vectors {

namespace {

// Up to this size all vectors are measured: it takes about as long as a walk (a millisecond at 384 dimensions), and is
// exact.
constexpr size_t kMeasuredWhole = 10'000;
// The cost of one step of a walk, in vectors measured sequentially: the neighbours of a step are scattered in memory
// (bench/vector_index.cc: 3.7 us a step, 0.19 us a vector, of 100,000 with 384 dimensions, m = 16).
constexpr size_t kVectorsAStep = 20;

// Whether a search is to end, and why.
class Watch {
 public:
  explicit Watch(const Search& search) : stop_(search.stop), deadline_(search.deadline) {}
  bool operator()() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return true;
    return deadline_ != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline_;
  }

 private:
  const std::atomic<bool>* stop_;
  std::chrono::steady_clock::time_point deadline_;
};

std::unexpected<Error> ended() {
  return fail(ErrorCode::unavailable, "the search took too long");
}

size_t keptBy(const Search& search, const IndexOptions& options) {
  return std::max(search.ef == 0 ? std::max(options.efSearch, 2 * search.limit) : search.ef, search.limit);
}

}  // namespace

// Normalizes for cosine, so that cosines are dot products of vectors of length 1; a vector of zeros stays as it is.
AlignedFloats Graph::prepared(std::span<const float> vector) const {
  AlignedFloats out(vector.size());
  std::ranges::copy(vector, out.data());
  if (options_.metric != Metric::cosine) return out;
  double squared = 0;
  for (const float value : vector) squared += double{value} * value;
  if (squared == 0) return out;
  const double scale = 1 / std::sqrt(squared);
  for (size_t i = 0; i < vector.size(); ++i) out.data()[i] = static_cast<float>(vector[i] * scale);
  return out;
}

double Graph::scoreOf(float distance) const {
  switch (options_.metric) {
    case Metric::cosine:
      return std::clamp(-double{distance}, -1.0, 1.0) + 0.0;
    case Metric::dot:
      return -double{distance} + 0.0;
    case Metric::euclidean:
      return -std::sqrt(double{distance}) + 0.0;
  }
  return 0;
}

// Whether the slot is in the view's version; a slot of `within` may also be newer, put before its id was looked up.
bool Graph::visible(Slot slot, const Search& search, uint64_t asOf) const {
  const Node& node = slots_.node(slot);
  if (node.removed.load(std::memory_order_acquire) <= asOf) return false;
  return search.within != nullptr ? search.within->has(slot) : node.added.load(std::memory_order_relaxed) <= asOf;
}

std::vector<Hit> Graph::hitsOf(std::vector<Near> found) const {
  std::vector<Hit> hits;
  hits.reserve(found.size());
  for (const Near& near : found) hits.push_back({near.slot, std::string(idOf(near.slot)), scoreOf(near.distance)});
  std::ranges::sort(hits,
                    [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; });
  return hits;
}

bool Graph::scanIsCheaper(const Search& search, size_t size) const {
  const size_t allowed = search.within == nullptr ? size : std::min(search.within->count(), size);
  if (allowed <= kMeasuredWhole) return true;
  // A walk takes as many steps as it keeps candidates; if few are allowed, proportionally more.
  const size_t steps = std::min(size, keptBy(search, options_) * size / allowed);
  return allowed <= steps * kVectorsAStep;
}

Result<std::vector<Hit>> Graph::scan(std::span<const float> query, const Search& search, uint64_t asOf) const {
  constexpr size_t kVectorsBetweenLooks = 512;
  RETURN_IF_ERROR(checkVector(options_, query));
  const AlignedFloats floats = prepared(query);
  const float* probe = floats.data();
  const Watch over(search);
  std::vector<Near> found;  // a heap, farthest on top
  size_t looked = 0;
  bool stopped = false;
  const auto look = [&](Slot slot) {
    if (looked++ % kVectorsBetweenLooks == 0 && over()) stopped = true;
    if (stopped || !visible(slot, search, asOf)) return !stopped;
    const Near near{distance(probe, slot), slot};
    if (found.size() == search.limit && (found.empty() || near >= found.front())) return true;
    if (search.allows && !search.allows(slot)) return true;
    found.push_back(near);
    std::ranges::push_heap(found);
    if (found.size() > search.limit) {
      std::ranges::pop_heap(found);
      found.pop_back();
    }
    return true;
  };
  const size_t count = slots_.count();
  if (search.within != nullptr) {
    search.within->each([&](Slot slot) { return slot < count && look(slot); });
  } else {
    for (Slot slot = 0; slot < count && look(slot);) ++slot;
  }
  if (stopped) return ended();
  return hitsOf(std::move(found));
}

// Descends greedily to the slot nearest to the probe on each level above `level`.
Near Graph::descend(const float* probe, Slot entry, int level) const {
  Near near{distance(probe, entry), entry};
  for (int at = slots_.node(entry).level; at > level; --at) {
    for (bool nearer = true; nearer;) {
      nearer = false;
      const List list = listOf(near.slot, at);
      for (size_t i = 0; i < list.capacity; ++i) {
        const Slot slot = list.links[i].load(std::memory_order_acquire);
        if (slot == kNoSlot) break;
        const float away = distance(probe, slot);
        if (away >= near.distance) continue;
        near = {away, slot};
        nearer = true;
      }
    }
  }
  return near;
}

Result<std::vector<Hit>> Graph::walk(std::span<const float> query, const Search& search, uint64_t asOf) const {
  RETURN_IF_ERROR(checkVector(options_, query));
  const Slot entry = entry_.load(std::memory_order_acquire);
  const size_t max = search.within == nullptr ? std::numeric_limits<size_t>::max() : search.within->count();
  if (entry == kNoSlot || search.limit == 0 || max == 0) return std::vector<Hit>();
  const AlignedFloats floats = prepared(query);
  const float* probe = floats.data();
  const Watch over(search);
  std::vector<Near> found = {descend(probe, entry, 0)};
  const Slot root = root_.load(std::memory_order_acquire);
  if (root != kNoSlot) found.push_back({distance(probe, root), root});
  Visited visited;
  visited.reset(slots_.count());
  const auto accepts = [&](const Near& near) {
    return visible(near.slot, search, asOf) && (!search.allows || search.allows(near.slot));
  };
  if (!explore(probe, 0, keptBy(search, options_), max, found, visited, accepts, over)) return ended();
  if (found.size() > search.limit) found.resize(search.limit);
  return hitsOf(std::move(found));
}

}  // namespace mb::vectors
