// What a project uses of its plan.
#pragma once

#include <cstdint>

#include "base/task.h"
#include "document/shape.h"
#include "projects/project_types.h"

namespace mb::billing {

struct ProjectUsage {
  int64_t storageBytes = 0;
  int64_t functionRuns = 0;         // of this calendar month (UTC)
  int64_t vectors = 0;              // of documents, and stored embeddings
  int64_t realtimeConnections = 0;  // of this process
  int64_t projects = 0;             // root projects of the organization that the project belongs to
  int64_t environments = 0;         // of the root project
  static constexpr auto shape() {
    return doc::shape<ProjectUsage>(
        "ProjectUsage", doc::field("storageBytes", &ProjectUsage::storageBytes),
        doc::field("functionRuns", &ProjectUsage::functionRuns), doc::field("vectors", &ProjectUsage::vectors),
        doc::field("realtimeConnections", &ProjectUsage::realtimeConnections),
        doc::field("projects", &ProjectUsage::projects), doc::field("environments", &ProjectUsage::environments));
  }
};

class Meters {
 public:
  virtual ~Meters() = default;
  // None is below 0. Any core.
  virtual Task<ProjectUsage> of(projects::ProjectRecord project) = 0;
  // The same for projects of one organization: those of `all`, which are all of it that are not deleted.
  virtual Task<std::vector<ProjectUsage>> ofAll(std::vector<projects::ProjectRecord> all) = 0;
};

}  // namespace mb::billing
