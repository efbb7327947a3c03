// References to a project's records of files, and writes to them. Private to storage/.
#pragma once

#include "storage/access.h"
#include "storage/storage_types.h"

namespace mb::storage {

inline store::CollectionRef inProject(store::ProjectNo project, store::CollectionNo collection) {
  return {project, collection, 0};
}
inline store::CollectionRef inProject(const Access& access, store::CollectionNo collection) {
  return inProject(access.project->info().number, collection);
}

// Sets what a file takes over from the one that it replaces, and the time of its creation. REQUIRES: updatedAt is set.
void inherit(FileRecord& record, const std::optional<FileRecord>& old, bool keepsOwner);

inline store::Write writeOf(const Access& access) {
  return store::Write({.deadline = access.deadline, .actor = access.actor(), .bumpEpochs = {}});
}

}  // namespace mb::storage
