// How much of the queue stands in memory, due or due within a minute: of each kind, of each project in it, of each
// group in that. Where the store is known to hold more than has room, the part is named once it has become empty enough
// to be filled again, with the first place that was turned away: reading goes on there, and not over what is long done.
// Private to jobs/; only on the queue's own core.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "jobs/row.h"

namespace mb::jobs {

class BufferedJobs {
 public:
  static constexpr size_t kOfKind = 1024;
  static constexpr size_t kOfProject = 256;
  static constexpr size_t kOfGroup = 64;

  // Takes room for the row at `place`. Where there is none, the part that is full, as a prefix of places.
  std::optional<std::string> enter(const FairnessKey& fairnessKey, std::string_view place);
  // The same of one that is not to enter yet.
  std::optional<std::string> turnsAway(const FairnessKey& fairnessKey, std::string_view place);
  // Takes room in any case: for a job that had one when its run began, and is to be tried again.
  void enterAgain(const FairnessKey& fairnessKey);
  void leave(const FairnessKey& fairnessKey);

  struct Filling {
    std::string prefix;  // of the part's places
    std::string from;    // the first of them that had no room; "" where all are to be read
  };
  // Parts that wait to be filled; what comes on top is left to the sweep.
  static constexpr size_t kMaxToFill = 4096;
  // The part to be filled from the store that has waited longest. Each waits once.
  std::optional<Filling> nextToFill();
  // The part is to be filled, behind those that wait already. One that waits keeps its turn, and is read from the
  // earlier of both places.
  void fillOn(Filling part);
  bool anyToFill() const { return !turns_.empty(); }

 private:
  struct Part {
    size_t jobs = 0;
    std::string from;  // "": the store holds no more of it, as far as is known
  };
  void add(std::string_view prefix);
  // Below a quarter of `room` a part that the store holds more of is to be filled.
  void takeAway(std::string_view prefix, size_t room);
  bool isFull(std::string_view prefix, size_t room, std::string_view place);

  std::map<std::string, Part, std::less<>> parts_;  // with something in memory
  std::map<std::string, std::string> toFill_;       // by prefix: from where
  std::deque<std::string> turns_;                   // their prefixes
};

}  // namespace mb::jobs
