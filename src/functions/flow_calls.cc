#include "functions/flow_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "functions/contains.h"
#include "functions/flow_helpers.h"

namespace mb::functions {

namespace {

using cel::Node;
using CallArguments = std::vector<JsExpression>;
using Written = std::expected<JsExpression, std::string>;

bool isNumber(const JsExpression& each) {
  return each.type == JsType::integer || each.type == JsType::real;
}

// Whether === of JavaScript means == of CEL.
bool comparesAsIs(const JsExpression& each) {
  return isNumber(each) || each.type == JsType::text || each.type == JsType::boolean;
}

JsExpression helperCall(FlowScope& scope, std::string_view helper, const CallArguments& arguments, JsType type) {
  std::vector<std::string_view> codes;
  for (const JsExpression& each : arguments) codes.push_back(each.code);
  return {fmt::format("{}({})", scope.helper(helper), fmt::join(codes, ", ")), type, true};
}

JsExpression infix(const CallArguments& arguments, std::string_view symbol, JsType type) {
  return {fmt::format("{} {} {}", operandCode(arguments[0]), symbol, operandCode(arguments[1])), type, false};
}

// An expression whose value is checked to be text.
std::string text(FlowScope& scope, const JsExpression& each) {
  return each.type == JsType::text ? each.code : fmt::format("{}({})", scope.helper("string"), each.code);
}

Written equality(const CallArguments& arguments, bool wanted, FlowScope& scope) {
  const bool isNull = arguments[0].type == JsType::null || arguments[1].type == JsType::null;
  if (isNull) return infix(arguments, wanted ? "==" : "!=", JsType::boolean);
  if (comparesAsIs(arguments[0]) || comparesAsIs(arguments[1])) {
    return infix(arguments, wanted ? "===" : "!==", JsType::boolean);
  }
  JsExpression same = helperCall(scope, "same", arguments, JsType::boolean);
  if (!wanted) same.code.insert(0, "!");
  return same;
}

Written ordering(const CallArguments& arguments, std::string_view symbol, FlowScope& scope) {
  if (isNumber(arguments[0]) && isNumber(arguments[1])) return infix(arguments, symbol, JsType::boolean);
  JsExpression order = helperCall(scope, "order", arguments, JsType::boolean);
  order.code += fmt::format(" {} 0", symbol);
  order.atom = false;
  return order;
}

Written arithmetic(std::string_view operation, const CallArguments& arguments, FlowScope& scope) {
  struct Operator {
    std::string_view name, helper, symbol;
  };
  constexpr Operator kOperators[] = {{"_+_", "add", "+"},
                                     {"_-_", "subtract", "-"},
                                     {"_*_", "multiply", "*"},
                                     {"_/_", "divide", "/"},
                                     {"_%_", "modulo", "%"}};
  const auto found = std::ranges::find(kOperators, operation, &Operator::name);
  const JsExpression& a = arguments[0];
  const JsExpression& b = arguments[1];
  const bool anyReal = a.type == JsType::real || b.type == JsType::real;
  // With a double, JavaScript's own operators mean the same; operands that may not be numbers are checked.
  if (anyReal && found->helper != "modulo") {
    CallArguments numbers = arguments;
    for (JsExpression& each : numbers) {
      if (!isNumber(each)) each = {fmt::format("{}({})", scope.helper("number"), each.code), JsType::real, true};
    }
    return infix(numbers, found->symbol, JsType::real);
  }
  if (a.type == JsType::text && b.type == JsType::text) return infix(arguments, "+", JsType::text);
  const JsType type = a.type == b.type && (isNumber(a) || a.type == JsType::list) ? a.type : JsType::dyn;
  return helperCall(scope, found->helper, arguments, type);
}

// A regular expression of RE2 that means the same in JavaScript. The check of the code reports invalid ones.
Written matches(const Node& call, const CallArguments& arguments, FlowScope& scope) {
  const Node& pattern = *call.children[1];
  if (pattern.kind != cel::NodeKind::constant) return std::unexpected("the pattern must be written out");
  const std::string_view source = pattern.constant.text();
  size_t group = 0;
  while ((group = source.find("(?", group)) != std::string_view::npos) {
    if (!source.substr(group).starts_with("(?:")) return std::unexpected("the pattern has a group that is not (?:…)");
    group += 3;
  }
  if (source.contains("[:")) return std::unexpected("the pattern has a class by name");
  std::string literal;
  for (size_t i = 0; i < source.size(); ++i) {
    const bool escaped = source[i] == '\\' && i + 1 < source.size();
    const char c = source[escaped ? ++i : i];
    if (static_cast<unsigned char>(c) < 0x20) {
      literal += fmt::format("\\x{:02x}", static_cast<int>(c));
    } else {
      if (escaped || c == '/') literal += '\\';
      literal += c;
    }
  }
  if (literal.empty()) literal = "(?:)";
  return JsExpression{fmt::format("/{}/u.test({})", literal, text(scope, arguments[0])), JsType::boolean, true};
}

// A part of a timestamp, in UTC.
Written timePart(const Node& call, const CallArguments& arguments, FlowScope& scope) {
  struct Part {
    std::string_view name, method, rest;
  };
  constexpr Part kParts[] = {
      {"getFullYear", "getUTCFullYear", ""},
      {"getMonth", "getUTCMonth", ""},
      {"getDate", "getUTCDate", ""},
      {"getDayOfMonth", "getUTCDate", " - 1"},
      {"getDayOfWeek", "getUTCDay", ""},
      {"getHours", "getUTCHours", ""},
      {"getMinutes", "getUTCMinutes", ""},
      {"getSeconds", "getUTCSeconds", ""},
      {"getMilliseconds", "getUTCMilliseconds", ""},
  };
  if (arguments.size() != 1) return std::unexpected("time zones cannot be used in a flow: times are in UTC");
  if (call.name == "getDayOfYear") return helperCall(scope, "dayOfYear", arguments, JsType::integer);
  const auto part = std::ranges::find(kParts, call.name, &Part::name);
  if (part == std::end(kParts)) return std::unexpected(fmt::format("{}() cannot be used in a flow", call.name));
  const std::string time = arguments[0].type == JsType::timestamp
                               ? arguments[0].code
                               : fmt::format("{}({})", scope.helper("time"), arguments[0].code);
  return JsExpression{fmt::format("{}.{}(){}", time, part->method, part->rest), JsType::integer, part->rest.empty()};
}

Written member(const Node& call, const CallArguments& arguments, FlowScope& scope) {
  struct Method {
    std::string_view name, method;
  };
  constexpr Method kMethods[] = {{"contains", "includes"}, {"startsWith", "startsWith"}, {"endsWith", "endsWith"}};
  const auto found = std::ranges::find(kMethods, call.name, &Method::name);
  if (found == std::end(kMethods)) return timePart(call, arguments, scope);
  return JsExpression{fmt::format("{}.{}({})", text(scope, arguments[0]), found->method, text(scope, arguments[1])),
                      JsType::boolean, true};
}

struct Conversion {
  std::string_view name, helper;
  JsType type;
};
constexpr Conversion kConversions[] = {
    {"int", "toInt", JsType::integer},          {"double", "toDouble", JsType::real},
    {"string", "toText", JsType::text},         {"bool", "toBool", JsType::boolean},
    {"size", "size", JsType::integer},          {"timestamp", "timestamp", JsType::timestamp},
    {"duration", "duration", JsType::duration},
};

}  // namespace

std::string operandCode(const JsExpression& expression) {
  return expression.atom ? expression.code : fmt::format("({})", expression.code);
}

bool isFlowHelper(std::string_view name) {
  return contains(flowHelpers(), name, &FlowHelper::name);
}

Written writeCall(const Node& call, std::vector<JsExpression> arguments, FlowScope& scope) {
  const std::string_view name = call.name;
  if (name == "_==_" || name == "_!=_") return equality(arguments, name == "_==_", scope);
  for (const std::string_view symbol : {"<", "<=", ">", ">="}) {
    if (name == fmt::format("_{}_", symbol)) return ordering(arguments, symbol, scope);
  }
  for (const std::string_view operation : {"_+_", "_-_", "_*_", "_/_", "_%_"}) {
    if (name == operation) return arithmetic(name, arguments, scope);
  }
  if (name == "!_") {
    const JsExpression& operand = arguments[0];
    if (operand.type == JsType::boolean) return JsExpression{"!" + operandCode(operand), JsType::boolean, true};
    return JsExpression{fmt::format("!{}({})", scope.helper("truth"), operand.code), JsType::boolean, true};
  }
  if (name == "-_") {
    const JsExpression number =
        isNumber(arguments[0])
            ? arguments[0]
            : JsExpression{fmt::format("{}({})", scope.helper("number"), arguments[0].code), JsType::dyn, true};
    return JsExpression{fmt::format("0 - {}", operandCode(number)), number.type, false};
  }
  if (name == "@in") return helperCall(scope, "isIn", arguments, JsType::boolean);
  if (name == "_[_]") return helperCall(scope, "item", arguments, JsType::dyn);
  if (name == "matches") return matches(call, arguments, scope);
  if (name == "dyn") return JsExpression{arguments[0].code, JsType::dyn, arguments[0].atom};
  const auto conversion = std::ranges::find(kConversions, name, &Conversion::name);
  if (conversion != std::end(kConversions)) return helperCall(scope, conversion->helper, arguments, conversion->type);
  if (call.member) return member(call, arguments, scope);
  return std::unexpected(fmt::format("{}() cannot be used in a flow", name));
}

}  // namespace mb::functions
