// The functions and operators of CEL, one by one, as JavaScript. Private to the compilation of flows.
#pragma once

#include <expected>
#include <vector>

#include "functions/flow_expression.h"
#include "policy/cel/ast.h"

namespace mb::functions {

// `call` over what its children are; what is wrong where it has no counterpart.
std::expected<JsExpression, std::string> writeCall(const cel::Node& call, std::vector<JsExpression> arguments,
                                                   FlowScope& scope);

// As it may stand beside an operator.
std::string operandCode(const JsExpression& expression);

bool isFlowHelper(std::string_view name);

}  // namespace mb::functions
