// The section `settings` of a project's configuration, applied by projects/.
#pragma once

#include <memory>

#include "configuration/resource_kind.h"

namespace mb::projects {
class Projects;
}

namespace mb::app {

// `projects` outlives the kind.
std::unique_ptr<configuration::ResourceKind> settingsSection(projects::Projects& projects);

}  // namespace mb::app
