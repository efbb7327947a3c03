#include "store/mongo/write_leases.h"

namespace mb::store::mongo {

namespace {

using std::chrono::steady_clock;

// A project has several writers while another instance committed as lately as this.
constexpr std::chrono::seconds kShared{1};
// How long an instance that gives the lease up lets another one take it.
constexpr std::chrono::milliseconds kYield{5};
constexpr size_t kMaxLeases = 4096;

}  // namespace

bool WriteLeases::othersWait(const Lease& lease, Time now) const {
  return now - lease.lastOther < kShared;
}

void WriteLeases::wait(ProjectNo project) {
  std::unique_lock lock(mutex_);
  const Time end = steady_clock::now() + kLease;
  while (true) {
    const auto found = leases_.find(project);
    if (found == leases_.end()) return;
    const Lease& lease = found->second;
    const Time now = steady_clock::now();
    Time until = lease.yieldUntil;
    if (!lease.holder.empty() && lease.holder != instance_) until = std::max(until, lease.since + kLease);
    until = std::min(until, end);
    if (until <= now) return;
    changed_.wait_until(lock, until);
  }
}

std::optional<std::string> WriteLeases::next(ProjectNo project, bool more) {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(project);
  if (found == leases_.end()) return std::nullopt;
  const Lease& lease = found->second;
  const Time now = steady_clock::now();
  const bool holds = lease.holder == instance_;
  const bool over = holds && now - lease.since >= kLease;
  if (more && !over && othersWait(lease, now)) return instance_;
  return holds ? std::optional(std::string()) : std::nullopt;
}

void WriteLeases::committed(ProjectNo project, const std::optional<std::string>& holder, bool more) {
  if (!holder) return;
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(project);
  if (found == leases_.end()) return;
  Lease& lease = found->second;
  const Time now = steady_clock::now();
  if (lease.holder != *holder) lease.since = now;
  lease.holder = *holder;
  if (holder->empty() && more) lease.yieldUntil = now + kYield;
}

void WriteLeases::note(ProjectNo project, std::optional<std::string_view> holder) {
  const std::lock_guard lock(mutex_);
  const Time now = steady_clock::now();
  if (leases_.size() >= kMaxLeases && !leases_.contains(project)) dropOld(now);
  Lease& lease = leases_[project];
  lease.lastOther = now;
  lease.yieldUntil = now;
  if (holder && lease.holder != *holder) {
    lease.holder = *holder;
    lease.since = now;
  }
  changed_.notify_all();
}

void WriteLeases::dropOld(Time now) {
  std::erase_if(leases_, [&](const auto& entry) { return !othersWait(entry.second, now); });
  if (leases_.size() >= kMaxLeases) leases_.clear();
}

}  // namespace mb::store::mongo
