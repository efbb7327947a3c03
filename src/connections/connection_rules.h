// Rules for the fields of a connection. Each function fails with validation, with every problem in the details.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "connections/connection_types.h"
#include "connections/kinds.h"

namespace mb::connections {

// REQUIRES: `name` is trimmed. Names that differ only by case have the same key, and are one name in a scope.
std::string nameKey(std::string_view name);

using Secrets = std::map<std::string, std::string, std::less<>>;  // texts by name

struct CheckedInput {
  std::optional<std::string> name;  // trimmed; nullopt if absent
  std::optional<doc::Document> config;
  Secrets secrets;  // those that are present and not blank
};

Result<CheckedInput> check(const Kind& kind, const ConnectionPatch& input);
// Also fails for an unknown kind.
Result<CheckedInput> check(const NewConnection& input);

}  // namespace mb::connections
