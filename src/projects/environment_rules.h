// Rules for an environment's label, and the list of environments in its root project's record. Checked inside the
// commit, on the root's record as it is stored then.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plans/plans.h"
#include "projects/project_types.h"

namespace mb::projects {

// Live environments of one root project.
inline constexpr size_t kMaxEnvironments = 1000;

// "^[a-z][a-z0-9-]{1,15}$", and not a word for production.
bool isLabel(std::string_view label);

// Fails with validation, every problem in the details.
Result<> checkEnvironment(const NewEnvironment& input);

// The new environment's record, with the root's organization, owners, limits and settings. The caller sets id, number,
// slug and times.
ProjectRecord environmentOf(const ProjectRecord& root, const NewEnvironment& input);
// What slugToTry() makes its slugs from: the root's slug, truncated so that the label fits, and the label.
std::string slugBase(std::string_view rootSlug, std::string_view label);

// Fails with planLimit where the plan of the root allows no further environment.
Result<> mayAddEnvironment(const ProjectRecord& root, const plans::PlanInForce& plan);
// Adds a live environment to its root's record. Fails with conflict where the label is taken, or there are too many.
Result<> noteEnvironment(ProjectRecord& root, const ProjectId& id, std::string_view label);
// False where the root's record does not list it.
bool forgetEnvironment(ProjectRecord& root, const ProjectId& id);
// Fails with conflict while there are live environments.
Result<> mayDelete(const ProjectRecord& record);

// The root of a project's family: its parent, or itself.
const ProjectId& rootOf(const ProjectRecord& record);

}  // namespace mb::projects
