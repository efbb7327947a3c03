// What beats show about the instances that send them. A change stream brings the beats of all instances in the order of
// their commits, each with the time of the database, and an instance is silent for as long as beats of others follow
// its last one. So a time in which the database took no beats does not count, and what was shown stays shown when the
// connection is lost: etcd's leases once began again at each change of its leader, so that some never ended
// (https://github.com/etcd-io/etcd/issues/9395).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace mb::store::mongo {

// Not thread-safe.
class BeatHistory {
 public:
  // An instance that is silent for longer has ended.
  static constexpr std::chrono::seconds kAlive{30};

  // A beat as an event or a row shows it: an event leaves out what did not change.
  struct Beat {
    std::optional<int64_t> number;  // another one with each beat of an instance
    std::optional<Timestamp> at;    // by the clock of the database
    std::optional<int64_t> wakes;   // calls of Peers::wakeOthers()
    bool ended = false;             // the instance closed the store
  };

  // The next beat in the stream. Returns whether `wakes` is another one than before.
  bool note(std::string_view instance, const Beat& beat);
  // The row of an instance, read because beats may have been missed: if they were, its number is another one.
  void noteRow(std::string_view instance, const Beat& beat);

  bool hasEnded(std::string_view instance) const;
  // For how long beats came since the last one of the instance; since the first beat of all if it sent none.
  std::chrono::milliseconds silence(std::string_view instance) const;
  // Those that have not closed the store, and are silent for longer than `time`.
  std::vector<std::string> silentFor(std::chrono::milliseconds time) const;

 private:
  struct Instance {
    std::chrono::milliseconds last{0};  // shown_ as of its last beat
    int64_t number = 0;
    int64_t wakes = 0;
    bool ended = false;
  };
  Instance& of(std::string_view instance);

  std::chrono::milliseconds shown_{0};  // for how long beats have come
  std::optional<Timestamp> at_;         // of the last one
  std::map<std::string, Instance, std::less<>> instances_;
};

}  // namespace mb::store::mongo
