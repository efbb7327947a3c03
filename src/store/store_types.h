// Types shared by the store's headers: numbers, references, and the options of a write.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
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
// Per project, without system collections.
inline constexpr size_t kMaxCollections = 1000;

// Of a stored document of a user collection: another one after each write that stores it, whatever its contents. 0 for
// one that was stored by a release without versions, and for records of system collections. Only equality has a
// meaning.
using DocumentVersion = uint64_t;

using Deadline = std::chrono::steady_clock::time_point;

// A collection as the caller knows it. A write or alteration with an old version fails with staleCatalogue. System
// collections have version 0.
struct CollectionRef {
  ProjectNo project = 0;
  CollectionNo number = 0;
  uint64_t version = 0;
};

// A project's epoch as this instance knows it. It increases with each change of the project's authority or
// configuration.
struct Epoch {
  uint64_t value = 0;
  // True if the epoch includes all changes older than kEpochFreshness. An epoch that is not fresh equals no value: data
  // read under it must be read again, or compared with epochNow().
  bool fresh = true;
  friend bool operator==(const Epoch& now, uint64_t seen) { return now.fresh && now.value == seen; }
};
inline constexpr std::chrono::milliseconds kEpochFreshness{1000};

enum class WritePriority { normal, low };  // low: index builds, expiry, imports

// external: a writer that changes a document in a database of a project's owner without this deployment; has no id.
enum class ActorKind : uint8_t { none, anonymous, user, member, apikey, platform, server, function, external };
// The name in the change log and in audit entries; "" for none.
std::string_view nameOf(ActorKind kind);
// none for an unknown name.
ActorKind actorKindOf(std::string_view name);

struct Actor {
  ActorKind kind = ActorKind::none;
  std::string id;
};

// A sum over documents of system collections that the store maintains, exact in each commit
// (SystemCollection::counters).
using CounterNo = uint32_t;  // never reused
struct CounterKey {
  ProjectNo project = 0;
  CounterNo counter = 0;
  std::string group;  // a value of CounterSource::groupedBy; "" if that is ""
  auto operator<=>(const CounterKey&) const = default;
};

// A write that raises the counter above `max` fails with planLimit and a Violation of kind limit.
struct CounterLimit {
  CounterKey counter;
  int64_t max = 0;
};

// A Mark reports whether data may have changed since it was read; it must be created before the reads. The mark of a
// value changes with each commit that inserts, changes or removes a document which holds the value before or after it,
// sometimes with other commits too, and before the writer's call returns. Dropping a collection or project changes only
// the project's epoch. Cheap to copy and to check. Must not outlive the store.
class Mark {
 public:
  Mark() = default;  // never changes
  explicit Mark(const std::atomic<uint32_t>& counter)
      : counter_(&counter), seen_(counter.load(std::memory_order_acquire)) {}
  bool changed() const { return counter_ != nullptr && counter_->load(std::memory_order_acquire) != seen_; }

 private:
  const std::atomic<uint32_t>* counter_ = nullptr;
  uint32_t seen_ = 0;
};

// An event that all processes of the deployment must receive at once, such as the end of a session. ownDatabase: the
// database of a project's owner, or the project's status, has changed; the key is the project's id.
enum class NoticeKind : uint8_t { sessionEnded = 1, ownDatabase = 2 };
struct Notice {
  ProjectNo project = 0;
  NoticeKind kind = NoticeKind::sessionEnded;
  std::string key;  // at most kMaxNoticeKey bytes
};
inline constexpr size_t kMaxNoticeKey = 64;
inline constexpr size_t kMaxNotices = 1024;  // per write

struct WriteOptions {
  Deadline deadline;
  Actor actor;
  WritePriority priority = WritePriority::normal;
  // Projects whose epoch (authority, configuration) this write bumps: in the same commit, and visible in epoch() before
  // the writer's call returns.
  std::vector<ProjectNo> bumpEpochs;
  // False: the write adds nothing to the change log or to a chain. For restores, whose documents are not changes for
  // consumers.
  bool logged = true;
  // At most one per counter. Checked when the write is queued, against the committed value and the increases of the
  // writes queued before it; the decreases of these count once they are durable.
  std::vector<CounterLimit> limits = {};
  // The trace context of the request (base/trace_context.h), or "". Stored with the entries of the change log.
  std::string trace = {};
  // Sent to the listeners of Notices if the write changes anything: in the order of the commits, before the writer's
  // call returns.
  std::vector<Notice> notices = {};
};

}  // namespace mb::store
