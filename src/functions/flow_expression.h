// Compiles an expression of a flow, parsed and type-checked by policy/cel, to JavaScript with the same meaning. Numbers
// are JavaScript's: whole ones are CEL's int, others its double, and / between two whole ones truncates. && and || are
// evaluated from left to right. Rejected, since JavaScript has no counterpart: unsigned integers, bytes, types as
// values, time zones, patterns that are not literals.
#pragma once

#include <string>
#include <string_view>

#include "functions/flow_scope.h"

namespace mb::functions {

enum class JsType { dyn, null, boolean, integer, real, text, list, map, timestamp, duration };

struct JsExpression {
  std::string code;
  JsType type = JsType::dyn;  // dyn if it is not known
  bool atom = true;           // needs no parentheses as an operand
};

// Fails with validation: the message has line and column within `source`.
Result<JsExpression> compileExpression(std::string_view source, FlowScope& scope);

// Like compileExpression() for a condition: the code throws if the value is neither true nor false.
Result<std::string> compileCondition(std::string_view source, FlowScope& scope);

// `text` as a string literal.
std::string jsString(std::string_view text);
// `name` as a key of an object literal.
std::string jsKey(std::string_view name);

}  // namespace mb::functions
