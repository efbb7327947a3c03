// Values of a node's data as JavaScript: what is written there, with {{ expressions }} in its strings.
#pragma once

#include "document/bson.h"
#include "functions/flow_scope.h"

namespace mb::functions {

enum class ValueUse {
  plain,
  filter,  // what comes from data may not hold operators
};

// Fails with validation: what is wrong, with the place inside the value in front. Objects by which JSON stands for
// dates
// ({"$date": …}) become dates; other types that JavaScript lacks are refused. `indent`: of the line that it begins on.
Result<std::string> valueCode(doc::ValueView value, ValueUse use, size_t indent, FlowScope& scope);

// A string's code whose value is text, whatever its expressions give.
Result<std::string> textCode(std::string_view source, FlowScope& scope);

}  // namespace mb::functions
