// How the snapshot registry finds projects, and the slots that this module adds to every snapshot.
#pragma once

#include "identity/tables.h"
#include "projects/project_types.h"
#include "snapshot/snapshot.h"

namespace mb::projects {

class Directory final : public snapshot::ProjectDirectory {
 public:
  explicit Directory(store::DocumentStore& store) : store_(store) {}
  Task<std::optional<snapshot::ProjectInfo>> find(std::string idOrSlug) override;
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo number) override;
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override;
  // False for a project that does not exist or is deleted.
  Task<bool> isSuspended(store::ProjectNo number);
  // All stored projects, including deleted ones until they are purged.
  Task<std::vector<snapshot::ProjectInfo>> all();
  // The numbers of all projects that are not deleted.
  Task<std::vector<store::ProjectNo>> numbers();

 private:
  Task<std::optional<snapshot::ProjectInfo>> firstWhere(doc::Filter filter);
  store::DocumentStore& store_;
};

// Fills identity's MemberTable: the active members of a project, and the roles of its pending invites.
class MemberSource final : public snapshot::SlotSource {
 public:
  explicit MemberSource(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

// The project's record, decoded: a ProjectRecord.
class RecordSource final : public snapshot::SlotSource {
 public:
  // Called before a project's snapshot is used. Set before the first load.
  void setFollower(std::function<Task<>(const snapshot::ProjectInfo&)> follower) { follower_ = std::move(follower); }
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  std::function<Task<>(const snapshot::ProjectInfo&)> follower_;
};

}  // namespace mb::projects
