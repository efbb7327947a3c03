#include "vectors/index/graph_walk.h"

namespace mb::vectors {

namespace {

// A sweep begins when one vector in ten is removed, and sweeps kSlotsAWrite slots with each write: it ends before
// another thirty-second of them is removed.
constexpr size_t kShareRemoved = 10;
constexpr size_t kMinRemoved = 32;
constexpr size_t kSlotsAWrite = 32;
constexpr size_t kRetiredAWrite = 64;
// How many dead vectors a repair expands for neighbours, when dead neighbours have dead neighbours.
constexpr size_t kMaxDeadExpanded = 64;

}  // namespace

bool Graph::isDead(Slot slot) const {
  return sweep_.running && slots_.node(slot).removed.load(std::memory_order_relaxed) <= sweep_.before;
}

// Does a bounded part of a sweep; called by each write.
void Graph::advanceSweep() {
  if (!sweep_.running) {
    if (removed_.size() < std::max(kMinRemoved, linked_ / kShareRemoved)) return;
    sweep_ = {.running = true,
              .before = version_.load(std::memory_order_relaxed),
              .at = 0,
              .swept = false,
              .best = kNoSlot,
              .dead = std::exchange(removed_, {})};
    return replaceDeadRoot();
  }
  // Vectors added since the sweep began link to none of its dead.
  const size_t count = slots_.count();
  if (!sweep_.swept) {
    const size_t end = std::min(count, sweep_.at + kSlotsAWrite);
    for (; sweep_.at < end; ++sweep_.at) sweepSlot(sweep_.at);
    if (sweep_.at == count) markSweptDead();
    return;
  }
  retireDead();
  if (sweep_.dead.empty()) sweep_.running = false;
}

void Graph::sweepSlot(Slot slot) {
  const Node& node = slots_.node(slot);
  if (!node.linked || isDead(slot)) return;
  for (int level = node.level; level >= 0; --level) repair(slot, level);
  considerAsEntry(slot);
}

void Graph::considerAsEntry(Slot slot) {
  if (isRemoved(slot)) return;
  if (sweep_.best == kNoSlot || slots_.node(slot).level > slots_.node(sweep_.best).level) sweep_.best = slot;
}

// The tree keeps every vector that is not dead reachable during a sweep: repair() of a parent removes a dead child and
// adopts its heirs.
void Graph::replaceDeadRoot() {
  const Slot before = root_.load(std::memory_order_relaxed);
  if (before == kNoSlot || !isDead(before)) return;
  Slot root = kNoSlot;
  for (Slot slot = 0; root == kNoSlot && slot < slots_.count(); ++slot) {
    if (slots_.node(slot).linked && !isDead(slot)) root = slot;
  }
  growTree(root);
}

// The nearest descendants of dead children that are not dead.
std::vector<Slot> Graph::heirsOf(std::span<const Slot> dead) const {
  std::vector<Slot> heirs;
  std::vector<Slot> waiting(dead.begin(), dead.end());
  while (!waiting.empty()) {
    const Slot parent = waiting.back();
    waiting.pop_back();
    for (const Slot child : childrenOf(parent, read(listOf(parent, 0)))) {
      (isDead(child) ? waiting : heirs).push_back(child);
    }
  }
  return heirs;
}

// Called once no list names the dead: they are not part of the graph any more, though a view may still walk them.
void Graph::markSweptDead() {
  const Slot entry = entry_.load(std::memory_order_relaxed);
  if (entry != kNoSlot && isDead(entry)) entry_.store(sweep_.best, std::memory_order_release);
  for (const Slot slot : sweep_.dead) slots_.node(slot).linked = false;
  linked_ -= sweep_.dead.size();
  sweep_.swept = true;
}

// The candidates to replace the dead neighbours of a slot: its other neighbours, and the neighbours of the dead,
// through dead ones.
std::vector<Near> Graph::poolOf(Slot slot, int level) const {
  std::vector<Slot> pool;
  std::vector<Slot> expanded;
  const auto add = [&](Slot other, bool ownNeighbour) {
    if (isDead(other)) {
      if (expanded.size() < kMaxDeadExpanded && std::ranges::find(expanded, other) == expanded.end())
        expanded.push_back(other);
    } else if (ownNeighbour || (other != slot && !isRemoved(other))) {
      pool.push_back(other);
    }
  };
  for (const Slot other : read(listOf(slot, level))) add(other, true);
  for (size_t i = 0; i < expanded.size(); ++i) {
    for (const Slot other : read(listOf(expanded[i], level))) add(other, false);
  }
  std::ranges::sort(pool);
  pool.erase(std::ranges::unique(pool).begin(), pool.end());
  return nearsOf(slot, pool);
}

// Replaces the dead in one list of a slot by other neighbours; if the pool has too few, it searches for them as for a
// new vector.
void Graph::repair(Slot slot, int level) {
  const List list = listOf(slot, level);
  const std::vector<Slot> before = read(list);
  if (std::ranges::none_of(before, [&](Slot other) { return isDead(other); })) return;
  std::vector<Near> pool = poolOf(slot, level);
  const Slot entry = entry_.load(std::memory_order_relaxed);
  const bool few = pool.size() < (level == 0 ? options_.m / 2 : 1);
  const bool searches = few && !isRemoved(slot) && entry != kNoSlot && slots_.node(entry).level >= level;
  if (searches) {
    // The walk starts from the slot itself too, whose list still leads through the dead.
    const float* probe = slots_.vector(slot);
    const std::vector<Near> found =
        candidatesAt(slot, level, {descend(probe, entry, level), {distance(probe, slot), slot}});
    std::erase_if(pool, [&](const Near& near) {
      return std::ranges::any_of(found, [&](const Near& other) { return other.slot == near.slot; });
    });
    pool.insert(pool.end(), found.begin(), found.end());
    std::ranges::sort(pool);
  }
  std::vector<Slot> kept = level == 0 ? childrenOf(slot, before) : std::vector<Slot>();
  const auto removed = std::ranges::partition(kept, [&](Slot other) { return !isDead(other); });
  const std::vector<Slot> dead(removed.begin(), removed.end());
  kept.erase(removed.begin(), removed.end());
  const std::vector<Slot> chosen = select(pool, kept, minLinksOf(list), list.capacity);
  write(list, chosen);
  for (const Slot heir : heirsOf(dead)) adopt(heir, std::array{Near{0, slot}});
  if (!searches) return;
  for (const Slot neighbour : chosen) {
    if (!isRemoved(neighbour)) linkBack(neighbour, slot, level);
  }
}

// Retires slots of the dead, a bounded number per write; they are free once no open view may hold them.
void Graph::retireDead() {
  const size_t count = std::min(sweep_.dead.size(), kRetiredAWrite);
  std::vector<Slot> retired(sweep_.dead.end() - static_cast<ptrdiff_t>(count), sweep_.dead.end());
  sweep_.dead.resize(sweep_.dead.size() - count);
  epochs_.retire(std::move(retired));
}

}  // namespace mb::vectors
