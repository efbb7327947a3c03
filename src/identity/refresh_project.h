// The project that the text of a refresh token names: "<project id>~<random text>". It only says where to look the
// token up: what is stored is the hash of the whole. Tokens of platform users, and those from before, name none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"

namespace mb::identity {

inline constexpr char kProjectMark = '~';  // in no id and no random text, and plain in an address

inline std::string withProject(const ProjectId& project, std::string random) {
  return project.empty() ? std::move(random) : project.str() + kProjectMark + random;
}

inline std::optional<std::string> projectOfRefreshToken(std::string_view token) {
  const size_t mark = token.find(kProjectMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  return std::string(token.substr(0, mark));
}

}  // namespace mb::identity
