// What the parts of the store's interface have in common: numbers, references, and the options of a write.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace mb::store {

// Numbers are never reused. Project 1 is the control plane's own.
using ProjectNo = uint32_t;
using CollectionNo = uint32_t;
using IndexNo = uint32_t;
inline constexpr ProjectNo kControlProject = 1;
// Collections below this number are system collections (SystemCollection); users' collections start here.
inline constexpr CollectionNo kFirstUserCollection = 1000;
// Of a project, system collections aside.
inline constexpr size_t kMaxCollections = 1000;

using Deadline = std::chrono::steady_clock::time_point;

// A collection as the caller knows it. A write or alteration under an old version fails with staleCatalogue. System
// collections have version 0.
struct CollectionRef {
  ProjectNo project = 0;
  CollectionNo number = 0;
  uint64_t version = 0;
};

// A project's epoch as this instance knows it: it grows with each change of the project's authority or configuration.
struct Epoch {
  uint64_t value = 0;
  // Nothing older than kEpochFreshness is hidden from it. One that is not fresh equals none: what was read under it is
  // to be read again, or compared with epochNow().
  bool fresh = true;
  friend bool operator==(const Epoch& now, uint64_t seen) { return now.fresh && now.value == seen; }
};
inline constexpr std::chrono::milliseconds kEpochFreshness{1000};

enum class WritePriority { normal, low };  // low: index builds, expiry, imports

struct Actor {
  std::string kind;  // "user", "member", "apikey", "platform", "server"
  std::string id;
};

// A sum over documents of system collections that the store keeps, exact in each commit: SystemCollection::counters.
using CounterNo = uint32_t;  // never reused
struct CounterKey {
  ProjectNo project = 0;
  CounterNo counter = 0;
  std::string group;  // a value of CounterSource::groupedBy; "" where it groups by nothing
  auto operator<=>(const CounterKey&) const = default;
};

// A write that raises the counter above `max` is refused: planLimit, with a Violation of kind limit.
struct CounterLimit {
  CounterKey counter;
  int64_t max = 0;
};

// Whether what was read may have changed since: begun before the reads that it vouches for. A mark of a value changes
// with each commit that inserts, changes or removes a document which holds it, before or after, at times with others
// too, and before the writer is answered. What goes with a dropped collection or project changes the project's epoch
// alone. Cheap to copy and to ask; outlived by the store.
class Mark {
 public:
  Mark() = default;  // of nothing: never changes
  explicit Mark(const std::atomic<uint32_t>& counter)
      : counter_(&counter), seen_(counter.load(std::memory_order_acquire)) {}
  bool changed() const { return counter_ != nullptr && counter_->load(std::memory_order_acquire) != seen_; }

 private:
  const std::atomic<uint32_t>* counter_ = nullptr;
  uint32_t seen_ = 0;
};

// Something that all parts of the deployment must hear of at once, such as the end of a session.
enum class NoticeKind : uint8_t { sessionEnded = 1 };
struct Notice {
  ProjectNo project = 0;
  NoticeKind kind = NoticeKind::sessionEnded;
  std::string key;  // at most kMaxNoticeKey bytes
};
inline constexpr size_t kMaxNoticeKey = 64;
inline constexpr size_t kMaxNotices = 1024;  // of one write

struct WriteOptions {
  Deadline deadline;
  Actor actor;
  WritePriority priority = WritePriority::normal;
  // Projects whose epoch (authority, configuration) this write changes; bumped in the same commit, visible in epoch()
  // before the writer is answered.
  std::vector<ProjectNo> bumpEpochs;
  // False keeps the write out of the change log, and chains nothing: what a restore brings back is no change that
  // others are to follow.
  bool logged = true;
  // At most one for each counter. Checked when the write is queued, against what is committed and the increases of the
  // writes queued before it; what those free counts once it is durable.
  std::vector<CounterLimit> limits = {};
  // Sent to the listeners of Notices where the write changes anything: in the order of the commits, before the write is
  // answered.
  std::vector<Notice> notices = {};
};

}  // namespace mb::store
