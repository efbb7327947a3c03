// What an environment is called, and what its root project keeps of it. Checked inside the commit, on the root's record
// as it is there. Source: contract 2.2, 3.1, 4.8; decisions 8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "projects/project_types.h"

namespace mb::projects {

// Live environments of one root project.
inline constexpr size_t kMaxEnvironments = 1000;

// "^[a-z][a-z0-9-]{1,15}$", and not a word for production.
bool isLabel(std::string_view label);

// Fails with validation, every problem in the details.
Result<> checkEnvironment(const NewEnvironment& input);

// The environment as it begins: of the root's organization, with its owners, limits and settings; id, number, slug and
// times are the caller's to set.
ProjectRecord environmentOf(const ProjectRecord& root, const NewEnvironment& input);
// What slugToTry() makes its slugs from: the root's slug, cut so that the label stays, and the label.
std::string slugBase(std::string_view rootSlug, std::string_view label);

// Notes a live environment at its root. Fails with conflict where the label is taken, or there are too many.
Result<> noteEnvironment(ProjectRecord& root, const ProjectId& id, std::string_view label);
// False where the root knew nothing of it.
bool forgetEnvironment(ProjectRecord& root, const ProjectId& id);
// Fails with conflict while there are live environments.
Result<> mayDelete(const ProjectRecord& record);

// The root of a project's family: its parent, or itself.
const ProjectId& rootOf(const ProjectRecord& record);

}  // namespace mb::projects
