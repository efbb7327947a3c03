#include "store/mongo/turns.h"

namespace mb::store::mongo {

namespace {

using std::chrono::steady_clock;

// A project has several writers while another instance committed as lately as this.
constexpr std::chrono::seconds kShared{1};
// How long who gives the turn up lets another take it.
constexpr std::chrono::milliseconds kYield{5};
constexpr size_t kMaxTurns = 4096;

}  // namespace

bool Turns::othersWait(const Turn& turn, Time now) const {
  return now - turn.lastOther < kShared;
}

void Turns::wait(ProjectNo project) {
  std::unique_lock lock(mutex_);
  const Time end = steady_clock::now() + kTurn;
  while (true) {
    const auto found = turns_.find(project);
    if (found == turns_.end()) return;
    const Turn& turn = found->second;
    const Time now = steady_clock::now();
    Time until = turn.yieldUntil;
    if (!turn.holder.empty() && turn.holder != instance_) until = std::max(until, turn.since + kTurn);
    until = std::min(until, end);
    if (until <= now) return;
    changed_.wait_until(lock, until);
  }
}

std::optional<std::string> Turns::next(ProjectNo project, bool more) {
  const std::lock_guard lock(mutex_);
  const auto found = turns_.find(project);
  if (found == turns_.end()) return std::nullopt;
  const Turn& turn = found->second;
  const Time now = steady_clock::now();
  const bool holds = turn.holder == instance_;
  const bool over = holds && now - turn.since >= kTurn;
  if (more && !over && othersWait(turn, now)) return instance_;
  return holds ? std::optional(std::string()) : std::nullopt;
}

void Turns::committed(ProjectNo project, const std::optional<std::string>& holder, bool more) {
  if (!holder) return;
  const std::lock_guard lock(mutex_);
  const auto found = turns_.find(project);
  if (found == turns_.end()) return;
  Turn& turn = found->second;
  const Time now = steady_clock::now();
  if (turn.holder != *holder) turn.since = now;
  turn.holder = *holder;
  if (holder->empty() && more) turn.yieldUntil = now + kYield;
}

void Turns::note(ProjectNo project, std::optional<std::string_view> holder) {
  const std::lock_guard lock(mutex_);
  const Time now = steady_clock::now();
  if (turns_.size() >= kMaxTurns && !turns_.contains(project)) dropOld(now);
  Turn& turn = turns_[project];
  turn.lastOther = now;
  turn.yieldUntil = now;
  if (holder && turn.holder != *holder) {
    turn.holder = *holder;
    turn.since = now;
  }
  changed_.notify_all();
}

void Turns::dropOld(Time now) {
  std::erase_if(turns_, [&](const auto& entry) { return !othersWait(entry.second, now); });
  if (turns_.size() >= kMaxTurns) turns_.clear();
}

}  // namespace mb::store::mongo
