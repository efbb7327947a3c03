#include "vectors/index/graph_walk.h"

namespace mb::vectors {

namespace {

bool contains(std::span<const Slot> slots, Slot slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

}  // namespace

std::vector<Slot> Graph::read(const List& list) {
  std::vector<Slot> slots;
  slots.reserve(list.capacity + 1);
  for (size_t i = 0; i < list.capacity; ++i) {
    const Slot slot = list.links[i].load(std::memory_order_relaxed);
    if (slot == kNoSlot) break;
    slots.push_back(slot);
  }
  return slots;
}

// Overwrites the rest of the list, so that a reader never finds a slot that was removed from it before.
void Graph::write(const List& list, std::span<const Slot> slots) {
  for (size_t i = 0; i < list.capacity; ++i) {
    const Slot slot = i < slots.size() ? slots[i] : kNoSlot;
    if (list.links[i].load(std::memory_order_relaxed) != slot) list.links[i].store(slot, std::memory_order_release);
  }
}

// The others, nearest to the slot first.
std::vector<Near> Graph::nearsOf(Slot slot, std::span<const Slot> others) const {
  const float* probe = slots_.vector(slot);
  std::vector<Near> nears;
  nears.reserve(others.size());
  for (const Slot other : others) slots_.prefetchVector(other, 256);
  for (const Slot other : others) nears.push_back({distance(probe, other), other});
  std::ranges::sort(nears);
  return nears;
}

// The children of a slot; `lowest` is its lowest list.
std::vector<Slot> Graph::childrenOf(Slot slot, std::span<const Slot> lowest) const {
  std::vector<Slot> children;
  for (const Slot other : lowest) {
    if (slots_.node(other).parent == slot) children.push_back(other);
  }
  return children;
}

// Selects up to `max` of the sorted candidates: `kept`, and those that are nearer to the base than to any that is
// chosen already (the paper's algorithm 4), so that the list points into all directions; of equal vectors only one. If
// these are fewer than `min`, the nearest of the others are added.
std::vector<Slot> Graph::select(std::span<const Near> candidates, std::span<const Slot> kept, size_t min,
                                size_t max) const {
  std::vector<Slot> chosen;
  std::vector<Slot> others;
  chosen.reserve(max);
  size_t reserved = std::min(kept.size(), max);
  for (const Near& candidate : candidates) {
    if (chosen.size() == max) break;
    if (reserved > 0 && contains(kept, candidate.slot)) {
      --reserved;
      chosen.push_back(candidate.slot);
      continue;
    }
    if (chosen.size() + reserved >= max) continue;
    const float* probe = slots_.vector(candidate.slot);
    const auto nearer = [&](Slot other) { return distance(probe, other) <= candidate.distance; };
    (std::ranges::none_of(chosen, nearer) ? chosen : others).push_back(candidate.slot);
  }
  for (size_t i = 0; i < others.size() && chosen.size() < min; ++i) chosen.push_back(others[i]);
  return chosen;
}

// The nearest live vectors to a slot on a level, without itself. Only a few of the vectors that equal it are accepted:
// more would fill the candidates, and no link would lead away from them. After these the walk takes a bounded number of
// steps.
std::vector<Near> Graph::candidatesAt(Slot slot, int level, std::vector<Near> seeds) {
  constexpr size_t kMaxEqual = 4;
  constexpr size_t kStepsPerCheck = 32;
  const float* probe = slots_.vector(slot);
  const float itself = distance(probe, slot);
  size_t equal = 0;
  size_t checks = 0;
  const Slot root = root_.load(std::memory_order_relaxed);
  if (level == 0 && root != kNoSlot) seeds.push_back({distance(probe, root), root});
  const auto accepts = [&](const Near& near) {
    if (near.slot == slot || isRemoved(near.slot)) return false;
    return near.distance > itself || options_.metric == Metric::dot || ++equal <= kMaxEqual;
  };
  const auto over = [&] { return ++checks * kStepsPerCheck > 4 * options_.efConstruction && equal > kMaxEqual; };
  visited_.reset(slots_.count());
  explore(probe, level, options_.efConstruction, std::numeric_limits<size_t>::max(), seeds, visited_, accepts, over);
  return seeds;
}

void Graph::link(Slot slot) {
  if (sweep_.running) considerAsEntry(slot);
  const int level = slots_.node(slot).level;
  const Slot entry = entry_.load(std::memory_order_relaxed);
  const int highest = entry == kNoSlot ? -1 : slots_.node(entry).level;
  std::vector<Near> seeds;
  if (entry != kNoSlot) seeds.push_back(descend(slots_.vector(slot), entry, level));
  for (int at = std::min(level, highest); at >= 0; --at) {
    std::vector<Near> candidates = candidatesAt(slot, at, seeds);
    if (candidates.empty()) continue;
    const std::vector<Slot> chosen = select(candidates, {}, options_.m, options_.m);
    write(listOf(slot, at), chosen);
    for (const Slot neighbour : chosen) linkBack(neighbour, slot, at);
    seeds = std::move(candidates);
  }
  adopt(slot, seeds);
  if (level > highest) entry_.store(slot, std::memory_order_release);
}

void Graph::linkBack(Slot from, Slot to, int level) {
  const List list = listOf(from, level);
  std::vector<Slot> slots = read(list);
  if (contains(slots, to)) return;
  if (slots.size() < list.capacity) return list.links[slots.size()].store(to, std::memory_order_release);
  const std::vector<Slot> kept = level == 0 ? childrenOf(from, slots) : std::vector<Slot>();
  if (kept.size() == list.capacity) return;
  slots.push_back(to);
  write(list, select(nearsOf(from, slots), kept, minLinksOf(list), list.capacity));
}

// Gives a slot, which is not in the tree, a parent that is: one of the candidates that links to it already, or else the
// nearest, or a descendant of that which has capacity. Children take up to half of a list, so that the rest can lead
// elsewhere.
void Graph::adopt(Slot slot, std::span<const Near> candidates) {
  const Slot root = root_.load(std::memory_order_relaxed);
  if (root == kNoSlot) return root_.store(slot, std::memory_order_release);
  Node& node = slots_.node(slot);
  for (const Near& candidate : candidates.first(std::min(candidates.size(), options_.m))) {
    const std::vector<Slot> slots = read(listOf(candidate.slot, 0));
    if (!contains(slots, slot) || childrenOf(candidate.slot, slots).size() >= options_.m) continue;
    node.parent = candidate.slot;
    return;
  }
  for (Slot at = candidates.empty() ? root : candidates.front().slot;;) {
    const List list = listOf(at, 0);
    std::vector<Slot> slots = read(list);
    const std::vector<Slot> children = childrenOf(at, slots);
    if (children.size() >= options_.m) {
      at = children[slot % children.size()];
      continue;
    }
    node.parent = at;
    if (contains(slots, slot)) return;
    if (slots.size() < list.capacity) return list.links[slots.size()].store(slot, std::memory_order_release);
    const std::vector<Near> nears = nearsOf(at, slots);
    const auto farthest = std::ranges::find_if(nears.rbegin(), nears.rend(),
                                               [&](const Near& near) { return !contains(children, near.slot); });
    std::ranges::replace(slots, farthest->slot, slot);
    return write(list, slots);
  }
}

// Rebuilds the tree from a root along the lowest lists; a vector that they do not reach is adopted.
void Graph::growTree(Slot root) {
  root_.store(root, std::memory_order_release);
  if (root == kNoSlot) return;
  const size_t count = slots_.count();
  for (Slot slot = 0; slot < count; ++slot) slots_.node(slot).parent = kNoSlot;
  Visited reached;
  reached.reset(count);
  std::deque<Slot> waiting;
  const auto reachFrom = [&](Slot from) {
    reached.first(from);
    waiting.push_back(from);
    while (!waiting.empty()) {
      const Slot parent = waiting.front();
      waiting.pop_front();
      size_t children = 0;
      for (const Slot child : read(listOf(parent, 0))) {
        if (children == options_.m) break;
        if (!reached.first(child)) continue;
        slots_.node(child).parent = parent;
        waiting.push_back(child);
        ++children;
      }
    }
  };
  reachFrom(root);
  for (Slot slot = 0; slot < count; ++slot) {
    if (!slots_.node(slot).linked || reached.has(slot)) continue;
    // A neighbour that is in the tree is nearer than the root.
    std::vector<Slot> neighbours = read(listOf(slot, 0));
    std::erase_if(neighbours, [&](Slot other) { return !reached.has(other); });
    adopt(slot, nearsOf(slot, neighbours));
    reachFrom(slot);
  }
}

}  // namespace mb::vectors
