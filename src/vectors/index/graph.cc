#include "vectors/index/graph.h"

#include <cmath>
#include <new>

namespace mb::vectors {

namespace {

constexpr uint64_t kSeed = 0x9E3779B97F4A7C15;

}  // namespace

Graph::Graph(const IndexOptions& options)
    : options_(options), lowestLinks_(2 * options.m), slots_(options.dimensions, lowestLinks_), random_(kSeed) {}

Graph::~Graph() {
  for (Slot slot = 0; slot < slots_.count(); ++slot) {
    delete[] slots_.node(slot).id;
    delete[] slots_.node(slot).upper;
  }
}

size_t Graph::bytes() const {
  return slots_.count() * slots_.stride() + size() * IdTable::kEntryBytes + sideBytes_.load(std::memory_order_relaxed);
}

Epoch* Graph::enter(uint64_t& asOf, size_t& size) const {
  return epochs_.enter([&] {
    asOf = version_.load(std::memory_order_acquire);
    size = live_.load(std::memory_order_relaxed);
  });
}

Result<> Graph::put(std::string_view id, std::span<const float> vector) {
  RETURN_IF_ERROR(checkVector(options_, vector));
  if (id.empty() || id.size() > kMaxIdBytes) {
    return fail(ErrorCode::validation, fmt::format("an id must have 1 to {} bytes", kMaxIdBytes));
  }
  const AlignedFloats floats = prepared(vector);
  const size_t bytes = padded(options_.dimensions) * sizeof(float);
  const std::lock_guard lock(writer_);
  const std::optional<Slot> before = ids_.find(id);
  if (before && std::memcmp(slots_.vector(*before), floats.data(), bytes) == 0) return {};
  const int level = randomLevel();
  const Slot slot = takeSlot(id, level);
  if (slot == kNoSlot) return fail(ErrorCode::unavailable, "out of memory for more vectors");
  std::memcpy(slots_.vector(slot), floats.data(), bytes);
  Node& node = slots_.node(slot);
  link(slot);

  const uint64_t version = version_.load(std::memory_order_relaxed) + 1;
  node.added.store(version, std::memory_order_release);
  ids_.set(idOf(slot), slot);
  if (before) markRemoved(*before, version);
  publish(version, before ? 0 : 1);
  advanceSweep();
  return {};
}

bool Graph::remove(std::string_view id) {
  const std::lock_guard lock(writer_);
  const std::optional<Slot> slot = ids_.find(id);
  if (!slot) return false;
  const uint64_t version = version_.load(std::memory_order_relaxed) + 1;
  ids_.erase(id);
  markRemoved(*slot, version);
  publish(version, -1);
  advanceSweep();
  return true;
}

// Views that open from now on have this version.
void Graph::publish(uint64_t version, int more) {
  epochs_.publish([&] {
    live_.fetch_add(static_cast<size_t>(more), std::memory_order_relaxed);
    version_.store(version, std::memory_order_release);
  });
}

void Graph::markRemoved(Slot slot, uint64_t version) {
  slots_.node(slot).removed.store(version, std::memory_order_release);
  removed_.push_back(slot);
}

// Returns a slot with the id and empty lists, which no view sees and nothing links to.
Slot Graph::takeSlot(std::string_view id, int level) {
  reclaim();
  Slot slot = kNoSlot;
  if (free_.empty()) {
    slot = slots_.grow();
    if (slot == kNoSlot) return kNoSlot;
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  if (furnish(slot, id, level)) return slot;
  free_.push_back(slot);
  return kNoSlot;
}

bool Graph::furnish(Slot slot, std::string_view id, int level) {
  const size_t links = static_cast<size_t>(level) * options_.m;
  std::unique_ptr<char[]> text(new (std::nothrow) char[std::max<size_t>(id.size(), 1)]);
  std::unique_ptr<Link[]> upper(level == 0 ? nullptr : new (std::nothrow) Link[links]);
  if (!text || (level > 0 && !upper)) return false;
  std::ranges::copy(id, text.get());
  for (size_t i = 0; i < links; ++i) upper[i].store(kNoSlot, std::memory_order_relaxed);
  Node& node = slots_.node(slot);
  node.added.store(kNever, std::memory_order_relaxed);
  node.id = text.release();
  node.idBytes = static_cast<uint32_t>(id.size());
  node.upper = upper.release();
  node.level = static_cast<uint8_t>(level);
  node.parent = kNoSlot;
  node.linked = true;
  node.removed.store(kNever, std::memory_order_release);
  ++linked_;
  sideBytes_.fetch_add(id.size() + links * sizeof(Link), std::memory_order_relaxed);
  return true;
}

void Graph::reclaim() {
  for (const Slot slot : epochs_.reclaim()) {
    forget(slot);
    free_.push_back(slot);
  }
}

void Graph::forget(Slot slot) {
  Node& node = slots_.node(slot);
  const size_t links = static_cast<size_t>(node.level) * options_.m;
  sideBytes_.fetch_sub(node.idBytes + links * sizeof(Link), std::memory_order_relaxed);
  delete[] std::exchange(node.id, nullptr);
  delete[] std::exchange(node.upper, nullptr);
  node.idBytes = 0;
  node.level = 0;
  for (size_t i = 0; i < lowestLinks_; ++i) slots_.lowest(slot)[i].store(kNoSlot, std::memory_order_relaxed);
}

// One in m of the vectors of a level is on the next level too (SplitMix64).
int Graph::randomLevel() {
  uint64_t z = (random_ += kSeed);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  z ^= z >> 31;
  const double uniform = (static_cast<double>(z >> 11) + 1) / 0x1.0p53;
  return std::min(kMaxLevel, static_cast<int>(-std::log(uniform) / std::log(static_cast<double>(options_.m))));
}

}  // namespace mb::vectors
