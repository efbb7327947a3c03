// PlanMemory remembers recent choices among the plans of queries of one shape, so that their keys need not be counted
// for each query. Bounded: one slot per shape, the latest wins. Any thread, without locks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace mb::store::embedded {

class PlanMemory {
 public:
  struct Choice {
    uint16_t plan = 0;  // its index among the candidates
    uint64_t keys = 0;  // expected to be read, below 2^48
  };

  std::optional<Choice> recall(uint64_t shape) const {
    const Slot& slot = slots_[shape % kSlots];
    const uint64_t value = slot.value.load(std::memory_order_relaxed);
    // The check combines both, so that a mix of two concurrent stores is detected.
    if ((slot.check.load(std::memory_order_relaxed) ^ value) != shape || value == 0) return std::nullopt;
    return Choice{static_cast<uint16_t>((value >> 48) - 1), value & kKeysMask};
  }
  void remember(uint64_t shape, Choice choice) {
    const uint64_t keys = choice.keys < kKeysMask ? choice.keys : kKeysMask;
    const uint64_t value = (uint64_t{choice.plan} + 1) << 48 | keys;
    Slot& slot = slots_[shape % kSlots];
    slot.value.store(value, std::memory_order_relaxed);
    slot.check.store(shape ^ value, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kSlots = 2048;
  static constexpr uint64_t kKeysMask = (uint64_t{1} << 48) - 1;
  struct Slot {
    std::atomic<uint64_t> check{0};
    std::atomic<uint64_t> value{0};
  };
  std::array<Slot, kSlots> slots_;
};

}  // namespace mb::store::embedded
