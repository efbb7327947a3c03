// A SlotSet is a set of slots of an index: a bitmap and a count.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mb::vectors {

// The position of a vector in its index. Identifies the same vector while a View that was open when the slot was read
// stays open.
using Slot = uint32_t;

class SlotSet {
 public:
  // Grows as slots are added; memory for `expected` slots is allocated at once.
  explicit SlotSet(size_t expected = 0) : words_((expected + 63) / 64) {}

  void add(Slot slot) {
    const size_t word = slot / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    const uint64_t bit = uint64_t{1} << (slot % 64);
    count_ += (words_[word] & bit) == 0;
    words_[word] |= bit;
  }
  bool has(Slot slot) const {
    const size_t word = slot / 64;
    return word < words_.size() && (words_[word] >> (slot % 64) & 1) != 0;
  }
  size_t count() const { return count_; }

  // Calls `take` with each slot, ascending, until it returns false.
  template <class Take>
  void each(const Take& take) const {
    for (size_t word = 0; word < words_.size(); ++word) {
      for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        if (!take(static_cast<Slot>(word * 64 + static_cast<size_t>(std::countr_zero(bits))))) return;
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
  size_t count_ = 0;
};

}  // namespace mb::vectors
