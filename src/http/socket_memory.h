// The memory that the sockets of one core may hold in messages that are not sent and in messages that are not whole.
// Private to this module.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mb::http {

class SocketMemory {
 public:
  // `budget` in bytes. Past it who holds much is refused, past a quarter more everybody.
  explicit SocketMemory(size_t budget) : budget_(budget), max_(budget + budget / 4) {}

  void add(size_t bytes) { held_ += bytes; }
  void remove(size_t bytes) { held_ -= bytes; }
  size_t held() const { return held_; }
  bool exceeded() const { return held_ > budget_; }
  bool exhausted() const { return held_ > max_; }

  // Whether a socket may come to hold `holding` bytes, of which `more` are new: the rest is its own already, or held by
  // others. Past the budget: where that is less than half of what the largest holds.
  bool admits(size_t more, size_t holding) const {
    if (held_ + more <= budget_) return true;
    return held_ + more <= max_ && isSmall(holding);
  }
  bool isSmall(size_t holding) const { return holding < largest_ / 2; }

  // A socket holds so much: when that has grown and stays, and at each tick. The largest of those since the last tick
  // but one is what admits() compares with.
  void note(size_t holding) {
    seen_ = std::max(seen_, holding);
    largest_ = std::max(largest_, holding);
  }
  // Once all sockets were noted at a tick.
  void tick() {
    largest_ = seen_;
    seen_ = 0;
  }

 private:
  const size_t budget_;
  const size_t max_;
  size_t held_ = 0;
  size_t largest_ = 0;
  size_t seen_ = 0;
};

// What all sockets of a server may hold where nothing else is set: a sixteenth of the memory that the machine, or the
// control group, gives.
size_t defaultSocketMemory();

}  // namespace mb::http
