#include "functions/run_quota.h"

#include <chrono>

namespace mb::functions {

std::string monthOf(Timestamp at) {
  return toRfc3339(at).substr(0, 7);
}

int secondsToNextMonth(Timestamp at) {
  using namespace std::chrono;
  const sys_time<milliseconds> now{milliseconds(at.ms)};
  const year_month_day today{floor<days>(now)};
  const sys_days next{(today.year() / today.month() + months(1)) / 1};
  return static_cast<int>(ceil<seconds>(next - now).count());
}

std::optional<RunQuota::Taken> RunQuota::take(store::ProjectNo project, Timestamp at, int64_t max) {
  ProjectMonth month{project, monthOf(at)};
  const std::scoped_lock lock(mutex_);
  const auto found = months_.find(month);
  if (found == months_.end()) return std::nullopt;
  Entry& entry = found->second;
  Taken taken{.permit = std::nullopt, .use = entry.ended + entry.underWay};
  if (taken.use >= max) {
    if (entry.underWay == 0) idle_.splice(idle_.end(), idle_, entry.place);
    return taken;
  }
  if (entry.underWay++ == 0) busy_.splice(busy_.end(), idle_, entry.place);
  taken.permit = Permit(shared_from_this(), std::move(month), at);
  return taken;
}

bool RunQuota::holds(const ProjectMonth& month) const {
  const std::scoped_lock lock(mutex_);
  return months_.contains(month);
}

void RunQuota::put(const ProjectMonth& month, int64_t runs) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, isNew] = months_.try_emplace(month);
  if (!isNew) return;
  entry->second.ended = runs;
  entry->second.place = idle_.insert(idle_.end(), month);
  evict();
}

void RunQuota::count(const ProjectMonth& month, std::optional<Permit> permit) {
  const std::scoped_lock lock(mutex_);
  // One step with the end of the permit: in between, another run would see this one twice or not at all.
  if (const auto found = months_.find(month); found != months_.end()) ++found->second.ended;
  if (!permit || !permit->quota_) return;
  end(permit->month_);
  permit->quota_.reset();
}

void RunQuota::Permit::count() && {
  // The quota outlives the call, and the month the permit.
  const std::shared_ptr<RunQuota> quota = quota_;
  const ProjectMonth month = month_;
  quota->count(month, std::move(*this));
}

void RunQuota::giveBack(const ProjectMonth& month) {
  const std::scoped_lock lock(mutex_);
  end(month);
}

void RunQuota::end(const ProjectMonth& month) {
  Entry& entry = months_.find(month)->second;
  if (--entry.underWay > 0) return;
  idle_.splice(idle_.end(), busy_, entry.place);
  evict();
}

void RunQuota::evict() {
  while (idle_.size() > maxIdle_) {
    months_.erase(idle_.front());
    idle_.pop_front();
  }
}

}  // namespace mb::functions
