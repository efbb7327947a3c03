// Exports a project from an image of the store, as records (project_records.h).
#pragma once

#include "app/project_records.h"
#include "base/progress.h"
#include "projects/project_types.h"
#include "store/image.h"

namespace mb::app {

// The live project with this id or slug. Fails with notFound.
Result<projects::ProjectRecord> findProject(const store::Image& image, std::string_view idOrSlug);
// The number of projects that are not deleted.
Result<int64_t> countProjects(const store::Image& image);

// Exports all records of the project, in order. Blocks. Fails as the sink does, or with unavailable when it is stopped.
Result<StreamEnd> exportProject(const store::Image& image, const projects::ProjectRecord& record, Progress& progress,
                                const RecordSink& sink);

}  // namespace mb::app
