// A Gate counts running operations, with a counter per core, so that counting shares no cache line. After close() new
// operations are refused, and wait() waits for the running ones.
#pragma once

#include "base/cores.h"

namespace mb::store::embedded {

class Gate {
 public:
  class Holder;

  explicit Gate(int cores) : slots_(static_cast<size_t>(cores) + 1) {}

  // False once closed.
  bool tryEnter() {
    auto& count = local();
    count.fetch_add(1);
    if (!closed_.load()) return true;
    count.fetch_sub(1);
    return false;
  }
  // On the thread that entered.
  void leave() { local().fetch_sub(1); }
  bool closed() const { return closed_.load(); }
  void close() { closed_ = true; }
  // After close(): waits for running operations; false if some are left after `limit`. Must not run on a core.
  bool wait(std::chrono::milliseconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (inside() > 0) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  struct alignas(64) Slot {
    std::atomic<int64_t> count{0};
  };
  std::atomic<int64_t>& local() {
    const auto core = static_cast<size_t>(Cores::current() + 1);
    return slots_[core < slots_.size() ? core : 0].count;
  }
  int64_t inside() const {
    int64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.count.load();
    return sum;
  }
  std::vector<Slot> slots_;
  std::atomic<bool> closed_{false};
};

// Owns one entered operation. Empty if the gate was closed.
class Gate::Holder {
 public:
  explicit Holder(Gate& gate) : gate_(gate.tryEnter() ? &gate : nullptr) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (gate_) gate_->leave();
  }
  explicit operator bool() const { return gate_ != nullptr; }

 private:
  Gate* gate_;
};

}  // namespace mb::store::embedded
