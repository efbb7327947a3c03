#include "graphql/language/names.h"

#include <algorithm>

namespace mb::graphql {

std::string capitalized(std::string name) {
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

std::string graphqlName(std::string_view name) {
  std::string made(name);
  std::ranges::replace(made, '-', '_');
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool startsWell = !made.empty() && !(made[0] >= '0' && made[0] <= '9') && !made.starts_with("__");
  return startsWell && std::ranges::all_of(made, fits) ? made : "";
}

}  // namespace mb::graphql
