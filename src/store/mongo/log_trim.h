// Removes the entries of the change logs that exceed the age or size to keep (change_feed.h). Any instance may do it,
// several at once too: the mark in a head, up to which its entries may be missing, only grows.
#pragma once

#include "store/log_limits.h"
#include "store/mongo/project_states.h"

namespace mb::store::mongo {

class LogTrimmer {
 public:
  LogTrimmer(const Names& names, const ProjectStates& states, const LogLimits& limits)
      : names_(names), states_(states), limits_(limits) {}

  // Blocks.
  Outcome<> run(Connection& connection, Timestamp now) const;

 private:
  struct Log {
    ProjectNo project = 0;
    Head head;
    uint64_t last = 0;  // entries after it must be kept
    uint64_t held = 0;  // bytes after the mark
  };
  // Of an entry: when it was written, and the bytes up to it.
  struct Stamp {
    Timestamp at;
    uint64_t logged = 0;
  };
  Outcome<std::vector<Log>> logs(Connection& connection) const;
  // Where documents of SystemCollection::logFloor keep entries: the lowest position of each project.
  Outcome<std::map<ProjectNo, uint64_t>> floors(Connection& connection) const;
  Outcome<std::optional<Stamp>> stamp(Connection& connection, ProjectNo project, uint64_t position) const;
  // Raises the mark to the last entry for which `trimmable` holds, and removes up to it. REQUIRES: trimmable entries
  // precede all others.
  Outcome<> trim(Connection& connection, Log& log, const std::function<bool(const Stamp&)>& trimmable) const;
  Outcome<> remove(Connection& connection, const Log& log) const;

  const Names& names_;
  const ProjectStates& states_;
  const LogLimits limits_;
};

}  // namespace mb::store::mongo
