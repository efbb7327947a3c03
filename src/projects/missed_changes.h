// The warning of a project whose database did not say all that changed in it. Private to projects/.
#pragma once

#include <vector>

#include "projects/records.h"

namespace mb::projects {

// "changes-missed", with the time, and "deletes-missed", with their number; each for store::own::kMissedTime. The
// store's errors.
Task<std::vector<ProjectWarning>> missedChanges(store::DocumentStore& store, store::ProjectNo project);

}  // namespace mb::projects
