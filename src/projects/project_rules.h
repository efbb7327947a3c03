// Rules for the fields of a project.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "projects/project_types.h"

namespace mb::projects {

// 1 to 100 characters (code points) without control characters and not only blanks; the trimmed name. Fails with
// validation at /name.
Result<std::string> checkName(std::string_view name);

// A slug from a name: lower-case ASCII letters, digits and single hyphens, at most 40 characters, "project" where
// nothing is left. `attempt` 0 is the plain one; then "-2", "-3", …
std::string slugFor(std::string_view name, int attempt);

inline constexpr int kSlugTries = 10;
// The slug of this attempt, of at most kSlugTries: slugFor() first, then with random letters.
std::string slugToTry(std::string_view name, int attempt);

bool isColor(std::string_view color);
// Exactly one emoji, as a reader sees it (sequences of several code points included).
bool isSingleEmoji(std::string_view text);
// "https://example.com" or "http://localhost:5173", as browsers write it: scheme, host and port only, lower case, no
// port that is the scheme's own.
bool isOrigin(std::string_view text);
// Allows every origin in ProjectSettings::allowedOrigins.
inline constexpr std::string_view kAnyOrigin = "*";

// The error detail for an invalid colour.
std::string colorProblem();

// Every problem of a patch, in the details. Fails with validation.
Result<> checkPatch(const ProjectPatch& patch);
// Fails with validation if there are problems; the first is the message.
Result<> refuseIfAny(std::vector<ErrorDetail> problems);
// REQUIRES: checkPatch succeeded. Fields that the patch does not name stay unchanged.
void applyPatch(ProjectRecord& record, const ProjectPatch& patch);

// The problems of the settings that belong to a project's configuration, with their pointers below `pointer`.
std::vector<ErrorDetail> configuredProblems(const SettingsPatch& patch, const std::string& pointer);
// REQUIRES: the patch has no problems. Settings that it does not name stay unchanged.
void applySettings(ProjectSettings& settings, const SettingsPatch& patch);

}  // namespace mb::projects
