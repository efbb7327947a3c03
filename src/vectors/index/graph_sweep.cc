#include "vectors/index/graph_walk.h"

namespace mb::vectors {

namespace {

// A sweep begins at one removed vector in ten, and looks at so many slots with each write: it is through before another
// thirty-second of them is removed.
constexpr size_t kShareRemoved = 10;
constexpr size_t kMinRemoved = 32;
constexpr size_t kSlotsAWrite = 32;
constexpr size_t kRetiredAWrite = 64;
// How many dead vectors a repair looks behind for neighbours, of dead neighbours in a row.
constexpr size_t kMaxDeadLookedBehind = 64;

}  // namespace

bool Graph::isDead(Slot slot) const {
  return sweep_.running && slots_.node(slot).removed.load(std::memory_order_relaxed) <= sweep_.before;
}

// What each write does for the removal of others: a bounded part of it.
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
  // What came since it began links to none of its dead.
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

// The tree keeps who is not dead in reach all through a sweep: the dead leave it from their parents on, each with its
// heirs.
void Graph::replaceDeadRoot() {
  const Slot before = root_.load(std::memory_order_relaxed);
  if (before == kNoSlot || !isDead(before)) return;
  Slot root = kNoSlot;
  for (Slot slot = 0; root == kNoSlot && slot < slots_.count(); ++slot) {
    if (slots_.node(slot).linked && !isDead(slot)) root = slot;
  }
  growTree(root);
}

// Of children that are dead, the children that are not, through dead ones.
std::vector<Slot> Graph::heirsOf(std::span<const Slot> dead) const {
  std::vector<Slot> heirs;
  std::vector<Slot> waiting(dead.begin(), dead.end());
  while (!waiting.empty()) {
    const Slot gone = waiting.back();
    waiting.pop_back();
    for (const Slot child : childrenOf(gone, read(listOf(gone, 0)))) (isDead(child) ? waiting : heirs).push_back(child);
  }
  return heirs;
}

// No list names the dead any more: the graph is without them, though a view may still walk there.
void Graph::markSweptDead() {
  const Slot entry = entry_.load(std::memory_order_relaxed);
  if (entry != kNoSlot && isDead(entry)) entry_.store(sweep_.best, std::memory_order_release);
  for (const Slot slot : sweep_.dead) slots_.node(slot).linked = false;
  linked_ -= sweep_.dead.size();
  sweep_.swept = true;
}

// Who may follow the dead neighbours of a slot: the neighbours that stay, and those of the dead, through dead ones.
std::vector<Near> Graph::poolOf(Slot slot, int level) const {
  std::vector<Slot> pool;
  std::vector<Slot> behind;
  const auto meet = [&](Slot other, bool mine) {
    if (isDead(other)) {
      if (behind.size() < kMaxDeadLookedBehind && std::ranges::find(behind, other) == behind.end())
        behind.push_back(other);
    } else if (mine || (other != slot && !isRemoved(other))) {
      pool.push_back(other);
    }
  };
  for (const Slot other : read(listOf(slot, level))) meet(other, true);
  for (size_t i = 0; i < behind.size(); ++i) {
    for (const Slot other : read(listOf(behind[i], level))) meet(other, false);
  }
  std::ranges::sort(pool);
  pool.erase(std::ranges::unique(pool).begin(), pool.end());
  return nearsOf(slot, pool);
}

// Takes the dead out of one list of a slot and puts others in their place; where there are too few about, it looks for
// them as for a new vector.
void Graph::repair(Slot slot, int level) {
  const List list = listOf(slot, level);
  const std::vector<Slot> before = read(list);
  if (std::ranges::none_of(before, [&](Slot other) { return isDead(other); })) return;
  std::vector<Near> pool = poolOf(slot, level);
  const Slot entry = entry_.load(std::memory_order_relaxed);
  const bool few = pool.size() < (level == 0 ? options_.m / 2 : 1);
  const bool searches = few && !isRemoved(slot) && entry != kNoSlot && slots_.node(entry).level >= level;
  if (searches) {
    // From the slot itself too, whose list still leads through the dead.
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
  const auto gone = std::ranges::partition(kept, [&](Slot other) { return !isDead(other); });
  const std::vector<Slot> dead(gone.begin(), gone.end());
  kept.erase(gone.begin(), gone.end());
  const std::vector<Slot> chosen = select(pool, kept, minLinksOf(list), list.capacity);
  write(list, chosen);
  for (const Slot heir : heirsOf(dead)) adopt(heir, std::array{Near{0, slot}});
  if (!searches) return;
  for (const Slot neighbour : chosen) {
    if (!isRemoved(neighbour)) linkBack(neighbour, slot, level);
  }
}

// Slots of the dead are free once no view is open that may know them; a write gives back a bounded number.
void Graph::retireDead() {
  const size_t count = std::min(sweep_.dead.size(), kRetiredAWrite);
  std::vector<Slot> gone(sweep_.dead.end() - static_cast<ptrdiff_t>(count), sweep_.dead.end());
  sweep_.dead.resize(sweep_.dead.size() - count);
  epochs_.retire(std::move(gone));
}

}  // namespace mb::vectors
