// The variables that functions read. Code can read a variable in ways that no text shows, so this finds the usual ones:
// ctx.variables.NAME and ctx.variables["NAME"].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/bson.h"
#include "variables/values.h"

namespace mb::functions {

// The names in the code, and in the expressions of its flow if it has one, each once.
std::vector<std::string> variablesIn(std::string_view code, const std::optional<doc::Document>& flow);
// A problem where one of them is secret: ctx.variables holds plain ones. "" otherwise.
std::string secretProblem(const std::vector<std::string>& names, const variables::Values& values);

}  // namespace mb::functions
