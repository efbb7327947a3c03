// A KeyIndex maps strings to their positions in a list of the caller. Its hash is seeded at random when the process
// starts, so no client can choose keys that collide; with std::hash, clients can choose keys that make a table take
// quadratic time.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mb {

// The seed differs from process to process.
uint64_t seededHash(std::string_view text);

// The same for containers of the standard library.
struct SeededHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return seededHash(text); }
};

class KeyIndex {
 public:
  // REQUIRES: at most `keys` are added, fewer than 2^32.
  explicit KeyIndex(size_t keys) : mask_(std::bit_ceil(2 * keys + 2) - 1), slots_(mask_ + 1) {}

  // Adds the key at `position`. If an equal key was added before, adds nothing and returns the position of that one.
  // `keyAt(position)` is the key that was added at a position.
  template <class KeyAt>
  std::optional<uint32_t> add(std::string_view key, uint32_t position, const KeyAt& keyAt) {
    const uint64_t hash = seededHash(key);
    const size_t slot = slotOf(key, hash, keyAt);
    if (slots_[slot] != 0) return positionIn(slots_[slot]);
    slots_[slot] = tagOf(hash) | (uint64_t{position} + 1);
    return std::nullopt;
  }
  template <class KeyAt>
  std::optional<uint32_t> find(std::string_view key, const KeyAt& keyAt) const {
    const uint64_t slot = slots_[slotOf(key, seededHash(key), keyAt)];
    return slot == 0 ? std::nullopt : std::optional(positionIn(slot));
  }

 private:
  static constexpr uint64_t kPosition = 0xFFFF'FFFF;

  // A slot holds the high half of its key's hash, and the position plus 1.
  static uint64_t tagOf(uint64_t hash) { return hash & ~kPosition; }
  static uint32_t positionIn(uint64_t slot) { return static_cast<uint32_t>((slot & kPosition) - 1); }

  // The slot of `key`, or the free slot where it belongs.
  template <class KeyAt>
  size_t slotOf(std::string_view key, uint64_t hash, const KeyAt& keyAt) const {
    size_t slot = hash & mask_;
    while (slots_[slot] != 0) {
      if ((slots_[slot] & ~kPosition) == tagOf(hash) && keyAt(positionIn(slots_[slot])) == key) break;
      slot = (slot + 1) & mask_;
    }
    return slot;
  }

  size_t mask_;
  std::vector<uint64_t> slots_;
};

}  // namespace mb
