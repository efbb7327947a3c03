// Accounts for the memory that the sockets of one core hold in unsent and in incomplete messages. Private to this
// module.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mb::http {

class SocketMemory {
 public:
  // `budget` in bytes. Above it a socket that holds much is refused; above a quarter more, every socket.
  explicit SocketMemory(size_t budget) : budget_(budget), max_(budget + budget / 4) {}

  void add(size_t bytes) { held_ += bytes; }
  void remove(size_t bytes) { held_ -= bytes; }
  size_t held() const { return held_; }
  bool exceeded() const { return held_ > budget_; }
  bool exhausted() const { return held_ > max_; }

  // Whether a socket may hold `holding` bytes in total, of which `more` are new: the others are counted already, for it
  // or for other sockets. Above the budget: only if `holding` is less than half of what the largest socket holds.
  bool admits(size_t more, size_t holding) const {
    if (held_ + more <= budget_) return true;
    return held_ + more <= max_ && isSmall(holding);
  }
  bool isSmall(size_t holding) const { return holding < largest_ / 2; }

  // Records that a socket holds `holding` bytes. Called when that has grown and stays, and at each tick. admits()
  // compares with the largest value since the last tick but one.
  void note(size_t holding) {
    seen_ = std::max(seen_, holding);
    largest_ = std::max(largest_, holding);
  }
  // Called at each tick, after note() of all sockets.
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

// The default of ServerSettings::socketMemory: a sixteenth of the memory of the machine, or of the control group if
// that is less, and at least 32 MiB.
size_t defaultSocketMemory();

}  // namespace mb::http
