// Compiles values of a node's data to JavaScript, with {{ expressions }} in strings.
#pragma once

#include "document/bson.h"
#include "functions/flow_scope.h"

namespace mb::functions {

enum class ValueUse {
  plain,
  filter,  // values from data may not contain operators
};

// Fails with validation; the message begins with the path inside the value. Objects that represent dates in JSON
// ({"$date": …}) become dates; other types that JavaScript lacks are rejected. `indent`: of the line that it begins on.
Result<std::string> valueCode(doc::ValueView value, ValueUse use, size_t indent, FlowScope& scope);

// The code of a string: its value is text, whatever the values of its expressions.
Result<std::string> textCode(std::string_view source, FlowScope& scope);

}  // namespace mb::functions
