// Walking the graph, for searches and for the writer.
#pragma once

#include <algorithm>
#include <functional>

#include "vectors/index/graph.h"

namespace mb::vectors {

inline Graph::List Graph::listOf(Slot slot, int level) const {
  if (level == 0) return {slots_.lowest(slot), lowestLinks_};
  return {slots_.node(slot).upper + static_cast<size_t>(level - 1) * options_.m, options_.m};
}

inline float Graph::distance(const float* probe, Slot slot) const {
  const float* vector = slots_.vector(slot);
  const size_t length = padded(options_.dimensions);
  return options_.metric == Metric::euclidean ? kernels_.squaredDistance(probe, vector, length)
                                              : -kernels_.dot(probe, vector, length);
}

// Walks from `seeds` (with their distances) and replaces them by up to `ef` slots that `accepts` accepts, nearest
// first. Ends early once `max` are found: the caller knows that there are no more. False if `over` ended the walk.
template <class Accepts, class Over>
bool Graph::explore(const float* probe, int level, size_t ef, size_t max, std::vector<Near>& seeds, Visited& visited,
                    const Accepts& accepts, const Over& over) const {
  constexpr size_t kStepsBetweenChecks = 32;
  constexpr size_t kPrefetched = 256;
  std::vector<Near> waiting;  // a heap, nearest on top
  std::vector<Near> found;    // a heap, farthest on top
  found.reserve(std::min({ef, max, slots_.count()}) + 1);
  const auto take = [&](Near near) {
    if (found.size() >= ef && near.distance >= found.front().distance) return;
    waiting.push_back(near);
    std::ranges::push_heap(waiting, std::greater());
    if (!accepts(near)) return;
    found.push_back(near);
    std::ranges::push_heap(found);
    if (found.size() <= ef) return;
    std::ranges::pop_heap(found);
    found.pop_back();
  };
  for (const Near& seed : seeds) {
    if (visited.first(seed.slot)) take(seed);
  }
  std::array<Slot, 2 * kMaxM> fresh;
  size_t steps = 0;
  bool whole = true;
  while (!waiting.empty()) {
    const Near near = waiting.front();
    if ((found.size() >= ef && near.distance > found.front().distance) || found.size() >= max) break;
    std::ranges::pop_heap(waiting, std::greater());
    waiting.pop_back();
    if (++steps % kStepsBetweenChecks == 0 && over()) {
      whole = false;
      break;
    }
    const List list = listOf(near.slot, level);
    size_t count = 0;
    for (size_t i = 0; i < list.capacity; ++i) {
      const Slot slot = list.links[i].load(std::memory_order_acquire);
      if (slot == kNoSlot) break;
      if (!visited.first(slot)) continue;
      slots_.prefetchVector(slot, kPrefetched);
      fresh[count++] = slot;
    }
    for (size_t i = 0; i < count; ++i) take({distance(probe, fresh[i]), fresh[i]});
    if (!waiting.empty()) slots_.prefetchLinks(waiting.front().slot);
  }
  std::ranges::sort_heap(found);
  seeds = std::move(found);
  return whole;
}

}  // namespace mb::vectors
