// The stored position up to which a project's changes have become jobs: a row for each project that has a consumer.
// Private to events/.
#pragma once

#include "document/shape.h"
#include "store/store.h"

namespace mb::events {

// In the control project.
inline constexpr store::CollectionNo kCursors = 85;
inline constexpr store::CollectionRef kCursorRows{store::kControlProject, kCursors, 0};

struct CursorRecord {
  std::string id;  // the project's number
  std::string projectId;
  int64_t project = 0;
  int64_t position = 0;  // all changes up to and including it are jobs
  // Of the change after `position`, the jobs with ids up to and including this one are created; "" for none.
  std::string made;
  // Incremented by each join. A row is removed only if this has not changed since the consumers were evaluated.
  int64_t generation = 0;
  static constexpr auto shape() {
    return doc::shape<CursorRecord>(
        "Cursor", doc::field("id", &CursorRecord::id), doc::field("projectId", &CursorRecord::projectId),
        doc::field("project", &CursorRecord::project), doc::field("position", &CursorRecord::position),
        doc::field("made", &CursorRecord::made), doc::field("generation", &CursorRecord::generation));
  }
};

}  // namespace mb::events
