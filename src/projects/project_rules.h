// What a project's fields may hold. Source: contract 2.2; decisions 6 and 8 (colours).
#pragma once

#include <string>
#include <string_view>

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
// What to try as a slug, at most kSlugTries times: slugFor() first, then with random letters.
std::string slugToTry(std::string_view name, int attempt);

bool isColor(std::string_view color);
// Exactly one emoji, as a reader sees it (sequences of several code points included).
bool isSingleEmoji(std::string_view text);
// "https://example.com" or "http://localhost:5173", as browsers write it: scheme, host and port only, lower case, no
// port that is the scheme's own.
bool isOrigin(std::string_view text);
// Stands for every origin in ProjectSettings::allowedOrigins.
inline constexpr std::string_view kAnyOrigin = "*";

// What is wrong with a colour, as a detail says it.
std::string colorProblem();

// Every problem of a patch, in the details. Fails with validation.
Result<> checkPatch(const ProjectPatch& patch);
// Fails with validation where there are problems; the first is the message.
Result<> refuseIfAny(std::vector<ErrorDetail> problems);
// Requires checkPatch. Leaves what the patch does not name as it is.
void applyPatch(ProjectRecord& record, const ProjectPatch& patch);

}  // namespace mb::projects
