// Compiles the functions and operators of CEL to JavaScript. Private to the compilation of flows.
#pragma once

#include <expected>
#include <vector>

#include "functions/flow_expression.h"
#include "policy/cel/ast.h"

namespace mb::functions {

// The JavaScript of `call` with its compiled children; an error message if it has no counterpart.
std::expected<JsExpression, std::string> writeCall(const cel::Node& call, std::vector<JsExpression> arguments,
                                                   FlowScope& scope);

// The code of an operand, in parentheses if needed.
std::string operandCode(const JsExpression& expression);

bool isFlowHelper(std::string_view name);

}  // namespace mb::functions
