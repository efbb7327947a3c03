// CEL to JavaScript: an expression of a flow, parsed and type-checked by policy/cel, as code that means the same.
// Numbers are JavaScript's: whole ones are CEL's int, others its double, and / between two whole ones cuts off. && and
// || go from left to right. What JavaScript cannot carry is refused: unsigned integers, bytes, types as values, time
// zones, patterns that are not written out.
#pragma once

#include <string>
#include <string_view>

#include "functions/flow_scope.h"

namespace mb::functions {

enum class JsType { dyn, null, boolean, integer, real, text, list, map, timestamp, duration };

struct JsExpression {
  std::string code;
  JsType type = JsType::dyn;  // as far as it is known
  bool atom = true;           // may stand beside an operator as it is
};

// Fails with validation: line and column within `source`, and what is wrong there.
Result<JsExpression> compileExpression(std::string_view source, FlowScope& scope);

// The same where a condition is asked for: throws at run time what is neither true nor false.
Result<std::string> compileCondition(std::string_view source, FlowScope& scope);

// `text` as a string literal.
std::string jsString(std::string_view text);
// `name` as a key of an object literal.
std::string jsKey(std::string_view name);

}  // namespace mb::functions
