// The project in the text of a refresh token: "<project id>~<random text>". It only determines where the token is
// looked up: the hash of the whole text is stored. Tokens of platform users, and those of earlier versions, have none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"

namespace mb::identity {

inline constexpr char kProjectMark = '~';  // not in ids or random text, and unreserved in URLs

inline std::string withProject(const ProjectId& project, std::string random) {
  return project.empty() ? std::move(random) : project.str() + kProjectMark + random;
}

inline std::optional<std::string> projectOfRefreshToken(std::string_view token) {
  const size_t mark = token.find(kProjectMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  return std::string(token.substr(0, mark));
}

}  // namespace mb::identity
