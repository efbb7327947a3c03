// BufferedJobs counts the jobs in memory, due or due within a minute, and bounds them by kind, by project in a kind and
// by group in a project; each of these is a part. Jobs beyond a bound stay in the store. Once a part that rejected jobs
// is nearly empty, nextToFill() returns it with the first rejected place: reading continues there, and does not pass
// the tombstones of completed jobs. Private to jobs/; only on the queue's own core.
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

  // Counts the row at `place`. If a part is full, returns the prefix of the part's places and counts nothing.
  std::optional<std::string> enter(const FairnessKey& fairnessKey, std::string_view place);
  // Like enter(), but never counts the row.
  std::optional<std::string> fullPart(const FairnessKey& fairnessKey, std::string_view place);
  // Counts a job regardless of the bounds: for the retry of a job that was counted when its run began.
  void enterRetry(const FairnessKey& fairnessKey);
  void leave(const FairnessKey& fairnessKey);

  struct Filling {
    std::string prefix;  // of the part's places
    std::string from;    // the first rejected place; "" to read all of them
  };
  // Bound on queued parts; the sweep finds the jobs of the others.
  static constexpr size_t kMaxToFill = 4096;
  // Removes and returns the part that has been queued longest. A part is queued at most once.
  std::optional<Filling> nextToFill();
  // Queues the part to be filled. A part that is queued already keeps its position, and is read from the lower of both
  // places.
  void requestFill(Filling part);
  bool anyToFill() const { return !fillOrder_.empty(); }

 private:
  struct Part {
    size_t jobs = 0;
    std::string from;  // "": the store is not known to hold more of it
  };
  void add(std::string_view prefix);
  // Queues the part to be filled if it has rejected jobs and at most a quarter of `capacity` is in use.
  void remove(std::string_view prefix, size_t capacity);
  bool isFull(std::string_view prefix, size_t capacity, std::string_view place);

  std::map<std::string, Part, std::less<>> parts_;  // those with jobs in memory
  std::map<std::string, std::string> toFill_;       // from which place to read, by prefix
  std::deque<std::string> fillOrder_;               // the prefixes in toFill_
};

}  // namespace mb::jobs
