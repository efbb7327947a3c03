// A group: the writes of one project that this instance commits in one transaction (docs/engine.md, "Writing"). The
// transaction reads the documents of all writes at one moment, runs the callbacks on the cores of their callers, stores
// the results, and compares and moves the project's head, so that positions of the change log are dense and a commit of
// another instance in between is noticed: then the group runs again, and only its last run counts.
#pragma once

#include <set>

#include "store/change_feed.h"
#include "store/marks.h"
#include "store/mongo/project_states.h"
#include "store/mongo/write_leases.h"

namespace mb::store::mongo {

// A write that waits; lives in the frame of its caller's coroutine until it is resumed.
struct PendingWrite {
  PendingWrite(Write given, WriteCallback givenCallback, Executor caller);

  WriteOptions options;
  std::vector<Absence> conditions;
  std::vector<WriteTarget> targets;  // the inserts' ones last
  std::vector<Insert> inserts;
  std::vector<ChangeEntry> logged;  // of another database
  WriteCallback callback;           // null: only the inserts
  // Of a change of the catalogue, which is alone in its group: changes a copy of the project's state. May run several
  // times, each time with the state of then.
  std::function<Result<>(ProjectState& next)> alter = {};
  // Runs on the same thread after each of its groups, before another group of the project: what follows from a change
  // of the catalogue, as far as the database holds that change.
  std::function<void(Connection&)> afterwards = {};
  Executor executor;
  bool alone = false;  // its group holds no other write
  Resumer<Result<WriteOutcome>> resumer;

  size_t named() const { return targets.size() - inserts.size(); }
};

struct CommitCounts {
  std::atomic<uint64_t> groups{0};
  std::atomic<uint64_t> writes{0};
};

// The groups whose commits have unknown outcomes, by their numbers: if one took place after all, this instance must
// treat it like another one's. Any thread.
class UnknownGroups {
 public:
  void add(uint64_t group) {
    const std::lock_guard lock(mutex_);
    groups_.insert(group);
    if (groups_.size() > kMax) groups_.erase(groups_.begin());
  }
  bool contains(uint64_t group) const {
    const std::lock_guard lock(mutex_);
    return groups_.contains(group);
  }

 private:
  // The last ones. A commit that the server has not begun by then has ended with its session.
  static constexpr size_t kMax = 1024;
  mutable std::mutex mutex_;
  std::set<uint64_t> groups_;
};

// What groups share.
struct GroupContext {
  const std::string& instance;  // the name of this one, of no other at any time
  const Names& names;
  ProjectStates& states;
  Marks& marks;
  Notices& notices;
  FeedListeners& listeners;
  WriteLeases& leases;
  std::atomic<uint64_t>& groups;  // the number of the last one
  UnknownGroups& unknown;
  CommitCounts& counts;
  const Clock& clock;
  int callbackRuns = 1;
};

inline constexpr size_t kMaxGroup = 100;           // writes
inline constexpr size_t kMaxGroupBytes = 1 << 20;  // of the documents that are inserted

// The error of a write of which this instance could not find out whether it was committed.
Error unknownOutcome(std::string cause);

class Group {
 public:
  // All outlive it. `more`: further writes of the project wait.
  Group(const GroupContext& context, Connection& connection, ProjectNo project, bool more)
      : context_(context), connection_(connection), project_(project), more_(more) {}

  // Resumes the writes with their outcomes. Returns those that must run again, each alone.
  std::vector<PendingWrite*> run(std::vector<PendingWrite*> writes);

 private:
  const GroupContext& context_;
  Connection& connection_;
  ProjectNo project_;
  bool more_;
};

}  // namespace mb::store::mongo
