// The warning of a project whose database did not say all that changed in it. Private to projects/.
#pragma once

#include <optional>

#include "projects/records.h"

namespace mb::projects {

// For how long the warning is shown.
inline constexpr std::chrono::days kMissedShown{7};

// "changes-missed", with the time; nullopt where changes were not missed since kMissedShown. The store's errors.
Task<std::optional<ProjectWarning>> missedChanges(store::DocumentStore& store, store::ProjectNo project);

}  // namespace mb::projects
