// What a connection's fields may hold. Each fails with validation, every problem in the details.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "connections/connection_types.h"
#include "connections/kinds.h"

namespace mb::connections {

// Trimmed. Names that differ by case alone are one name in a scope: equal by nameKey().
std::string nameKey(std::string_view name);

using Secrets = std::map<std::string, std::string, std::less<>>;  // texts by name

struct Checked {
  std::optional<std::string> name;  // trimmed; where one is given
  std::optional<doc::Document> config;
  Secrets secrets;  // those that are given and not blank
};

Result<Checked> check(const Kind& kind, const ConnectionPatch& input);
// Also fails for a kind that there is none of.
Result<Checked> check(const NewConnection& input);

}  // namespace mb::connections
