// RunQuota holds in memory how many metered runs a project has had in a month (UTC), those under way included, so that
// a run is taken from the project's limit before it begins. RunLog stores the number, and brings it into memory.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "store/store.h"

namespace mb::functions {

// "2026-01"
std::string monthOf(Timestamp at);
// Until the next month begins; at least 1.
int secondsToNextMonth(Timestamp at);

// A project, and its month. Each month has a number of its own, so that a clock that jumps neither loses nor repeats
// runs.
using ProjectMonth = std::pair<store::ProjectNo, std::string>;

// Thread-safe. Created by std::make_shared.
class RunQuota : public std::enable_shared_from_this<RunQuota> {
 public:
  // Months without a run under way that stay in memory; further ones are dropped, those not used for longest first.
  static constexpr size_t kMaxIdle = 10'000;
  explicit RunQuota(size_t maxIdle = kMaxIdle) : maxIdle_(maxIdle) {}

  // One run under way. Its destructor gives the run back.
  class Permit {
   public:
    Permit(Permit&&) noexcept = default;
    Permit& operator=(Permit&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(month_, other.month_);
      std::swap(at_, other.at_);
      return *this;
    }
    ~Permit() {
      if (quota_) quota_->giveBack(month_);
    }
    // When the run was taken. It counts in this moment's month, which is in memory as long as the permit lives.
    Timestamp at() const { return at_; }
    const ProjectMonth& month() const { return month_; }
    // Counts the run, which has ended and is stored. REQUIRES: it is not counted yet.
    void count() &&;

   private:
    friend class RunQuota;
    Permit(std::shared_ptr<RunQuota> quota, ProjectMonth month, Timestamp at)
        : quota_(std::move(quota)), month_(std::move(month)), at_(at) {}
    std::shared_ptr<RunQuota> quota_;  // null once the run is counted
    ProjectMonth month_;
    Timestamp at_;
  };
  struct Taken {
    std::optional<Permit> permit;  // nullopt: the limit is reached
    int64_t use = 0;               // the month's runs before this one
  };

  // Takes a run of the month of `at` if there are fewer than `max`. nullopt: the month is not in memory.
  std::optional<Taken> take(store::ProjectNo project, Timestamp at, int64_t max);
  bool holds(const ProjectMonth& month) const;
  // Brings a month into memory that has had this many runs. Without effect on one that is there.
  void put(const ProjectMonth& month, int64_t runs);
  // Counts a run that has ended. `permit`: the run's own, which is of this month; nullopt if it was taken from no
  // limit.
  void count(const ProjectMonth& month, std::optional<Permit> permit);

 private:
  using MonthList = std::list<ProjectMonth>;
  struct Entry {
    int64_t ended = 0;
    int64_t underWay = 0;
    MonthList::iterator place;  // in busy_ if runs are under way, else in idle_
  };

  void giveBack(const ProjectMonth& month);
  // REQUIRES: mutex_ is held.
  void end(const ProjectMonth& month);
  void evict();

  const size_t maxIdle_;
  mutable std::mutex mutex_;
  std::map<ProjectMonth, Entry> months_;
  MonthList idle_;  // the one not used for longest first
  MonthList busy_;
};

}  // namespace mb::functions
