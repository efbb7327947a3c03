// What this instance knows of the projects: their heads and catalogues, as of its last read or commit. A commit
// compares what it was computed from with the stored head, so an old state costs another attempt, never a wrong result.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "document/path.h"
#include "store/mongo/connection.h"
#include "store/mongo/names.h"
#include "store/store.h"

namespace mb::store::mongo {

// The document of a project in `heads`: {_id: <number>, pos, epoch, cat, next, dead, lost, logged, n, lease, g:
// {<instance>: <group>}}.
struct Head {
  uint64_t position = 0;  // of the last entry of the change log
  uint64_t epoch = 0;
  uint64_t catalogue = 0;                      // changes with each change of the catalogue
  uint32_t nextNumber = kFirstUserCollection;  // of collections and indexes
  uint64_t lostUpTo = 0;                       // the last trimmed entry of the change log
  uint64_t logged = 0;                         // bytes of all entries of the change log, the trimmed ones included
  bool dead = false;
};
Head decodeHead(doc::DocumentView view);
// A head that no commit has moved.
doc::Document encodeHead(ProjectNo project, const Head& head);

struct ProjectState {
  ProjectNo number = 0;
  Head head;
  std::map<CollectionNo, std::shared_ptr<const CollectionInfo>> collections;

  uint64_t configuredBytes() const;
};
using ProjectStatePtr = std::shared_ptr<const ProjectState>;

// The document of a user collection in `catalogue`: {_id: {p, c}, name, version, config, indexes}.
doc::Document encodeCollection(ProjectNo project, const CollectionInfo& info);
CollectionInfo decodeCollection(doc::DocumentView view);

// Any thread.
class ProjectStates {
 public:
  ProjectStates(const Names& names, std::vector<SystemCollection> system);

  const SystemCollection* system(CollectionNo collection) const;
  const std::vector<SystemCollection>& systemCollections() const { return system_; }

  // Null if this instance has not read it.
  ProjectStatePtr known(ProjectNo project) const;
  // The known state, or what the database holds; null if there is no such project. Blocks.
  Outcome<ProjectStatePtr> state(Connection& connection, ProjectNo project);
  // What the database holds now. Blocks.
  Outcome<ProjectStatePtr> reload(Connection& connection, ProjectNo project);
  // Replaces the state, unless a later one is known.
  void set(ProjectStatePtr state);

  // The next use of the state or the epoch reads the database.
  void forget(ProjectNo project);

  // Reads the heads of all projects; returns the positions of those whose change logs grew. Blocks.
  Outcome<std::map<ProjectNo, uint64_t>> loadHeads(Connection& connection);
  // The database holds these fields of a head.
  void noteHead(ProjectNo project, doc::DocumentView fields);
  // The last known position of the change log, if no earlier call returned it or a later one: for the listeners, whose
  // notification must not depend on what this instance has read before.
  std::optional<uint64_t> takeGrowth(ProjectNo project);
  // The epoch grows only; the project need not be known.
  void raiseEpoch(ProjectNo project, uint64_t epoch);
  std::optional<uint64_t> epoch(ProjectNo project) const;
  uint64_t lastPosition(ProjectNo project) const;

  // ---- paths of user collections whose values have marks
  void markPath(ProjectNo project, CollectionNo collection, doc::FieldPath path);
  std::vector<doc::FieldPath> markedPaths(ProjectNo project, CollectionNo collection) const;
  bool hasMarkedPaths(ProjectNo project) const;

 private:
  const Names& names_;
  const std::vector<SystemCollection> system_;
  mutable std::mutex mutex_;
  std::map<ProjectNo, ProjectStatePtr> states_;
  std::map<ProjectNo, uint64_t> epochs_;
  std::map<ProjectNo, uint64_t> positions_;
  std::map<ProjectNo, uint64_t> notified_;  // as takeGrowth() returned them
  std::map<std::pair<ProjectNo, CollectionNo>, std::vector<doc::FieldPath>> marked_;
};

}  // namespace mb::store::mongo
