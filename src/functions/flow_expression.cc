#include "functions/flow_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "document/json.h"
#include "functions/contains.h"
#include "functions/flow_calls.h"

namespace mb::functions {

namespace {

using cel::Node;
using cel::NodeKind;

constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;

// Reserved words of JavaScript, and names that the code of flows uses.
constexpr std::string_view kTaken[] = {
    "arguments",  "async",     "await", "class",  "const",    "ctx",        "default", "delete",  "do",
    "enum",       "eval",      "event", "export", "extends",  "finally",    "new",     "now",     "static",
    "super",      "switch",    "this",  "throw",  "try",      "typeof",     "vars",    "with",    "yield",
    "implements", "interface", "catch", "case",   "debugger", "instanceof", "public",  "private", "protected",
    "undefined",  "Object",    "Array", "Date",   "String"};

// Writes a tree; stops at the first problem.
class ExpressionWriter {
 public:
  ExpressionWriter(const cel::Program& program, FlowScope& scope) : program_(program), scope_(scope) {}

  Result<JsExpression> write() {
    JsExpression whole = node(*program_.root);
    if (!problem_.empty()) return fail(ErrorCode::validation, problem_);
    return whole;
  }

 private:
  JsExpression refuse(const Node& at, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("line {}, column {}: {}", at.at.line, at.at.column, what);
    return {"null", JsType::dyn, true};
  }

  JsExpression node(const Node& each) {
    if (!problem_.empty()) return {};
    switch (each.kind) {
      case NodeKind::constant:
        return constant(each);
      case NodeKind::variable: {
        const std::string& name = program_.variables[each.slot];
        return {scope_.variable(name), name == "now" ? JsType::timestamp : JsType::dyn, true};
      }
      case NodeKind::local:
        return {locals_[each.slot], JsType::dyn, true};
      case NodeKind::select:
        return select(each);
      case NodeKind::has:
        return {fmt::format("{}({}, {})", scope_.helper("has"), node(*each.children[0]).code, jsString(each.name)),
                JsType::boolean, true};
      case NodeKind::call:
        return call(each);
      case NodeKind::logicalAnd:
        return logical(each, " && ");
      case NodeKind::logicalOr:
        return logical(each, " || ");
      case NodeKind::conditional:
        return conditional(each);
      case NodeKind::list:
        return list(each);
      case NodeKind::map:
        return map(each);
      case NodeKind::all:
      case NodeKind::exists:
      case NodeKind::existsOne:
      case NodeKind::filter:
      case NodeKind::transform:
        return comprehension(each);
      default:
        return refuse(each, "cannot be used in a flow");
    }
  }

  JsExpression constant(const Node& each) {
    const cel::Value& value = each.constant;
    switch (value.kind) {
      case cel::Kind::null:
        return {"null", JsType::null, true};
      case cel::Kind::boolean:
        return {value.boolean ? "true" : "false", JsType::boolean, true};
      case cel::Kind::integer:
        if (value.integer > kMaxSafeInteger || value.integer < -kMaxSafeInteger)
          return refuse(each, "the integer is too large");
        return {fmt::format("{}", value.integer), JsType::integer, value.integer >= 0};
      case cel::Kind::real: {
        if (!std::isfinite(value.real)) return refuse(each, "the number is too large");
        doc::BsonWriter out;
        out.appendReal("", value.real);
        const doc::Document written = out.finish();
        std::string code;
        doc::writeJsonValue(code, written.view().begin()->value);
        return {std::move(code), JsType::real, value.real >= 0};
      }
      case cel::Kind::string:
        return {jsString(value.text()), JsType::text, true};
      default:
        return refuse(each, "unsigned integers, bytes and types cannot be used in a flow");
    }
  }

  // a.b.c in one call.
  JsExpression select(const Node& each) {
    const Node* root = &each;
    std::vector<std::string> names;
    for (; root->kind == NodeKind::select; root = root->children[0]) names.push_back(jsString(root->name));
    std::ranges::reverse(names);
    const std::string_view field = scope_.helper("field");
    return {fmt::format("{}({}, {})", field, node(*root).code, fmt::join(names, ", ")), JsType::dyn, true};
  }

  JsExpression call(const Node& each) {
    std::vector<JsExpression> arguments;
    for (const Node* child : each.children) arguments.push_back(node(*child));
    if (!problem_.empty()) return {};
    auto written = writeCall(each, std::move(arguments), scope_);
    return written ? *std::move(written) : refuse(each, written.error());
  }

  std::string condition(const Node& each) {
    JsExpression written = node(each);
    if (written.type == JsType::boolean) return written.atom ? written.code : fmt::format("({})", written.code);
    return fmt::format("{}({})", scope_.helper("truth"), written.code);
  }

  JsExpression logical(const Node& each, std::string_view symbol) {
    std::vector<std::string> operands;
    for (const Node* child : each.children) operands.push_back(condition(*child));
    return {fmt::format("{}", fmt::join(operands, symbol)), JsType::boolean, false};
  }

  JsExpression conditional(const Node& each) {
    const std::string test = condition(*each.children[0]);
    const JsExpression yes = node(*each.children[1]);
    const JsExpression no = node(*each.children[2]);
    return {fmt::format("{} ? {} : {}", test, operandCode(yes), operandCode(no)),
            yes.type == no.type ? yes.type : JsType::dyn, false};
  }

  JsExpression list(const Node& each) {
    std::vector<std::string> items;
    for (const Node* child : each.children) items.push_back(node(*child).code);
    return {fmt::format("[{}]", fmt::join(items, ", ")), JsType::list, true};
  }

  JsExpression map(const Node& each) {
    std::vector<std::string> entries;
    for (size_t i = 0; i < each.children.size(); i += 2) {
      const Node& key = *each.children[i];
      const bool named = key.kind == NodeKind::constant && key.constant.kind == cel::Kind::string;
      const std::string name = named ? jsKey(key.constant.text()) : fmt::format("[{}]", node(key).code);
      entries.push_back(fmt::format("{}: {}", name, node(*each.children[i + 1]).code));
    }
    if (entries.empty()) return {"{}", JsType::map, true};
    return {fmt::format("{{ {} }}", fmt::join(entries, ", ")), JsType::map, true};
  }

  // The JavaScript name of a comprehension's variable.
  std::string localName(std::string_view name) const {
    return contains(kTaken, name) || isFlowHelper(name) ? fmt::format("{}_", name) : std::string(name);
  }

  JsExpression comprehension(const Node& each) {
    const std::string range = fmt::format("{}({})", scope_.helper("items"), node(*each.children[0]).code);
    if (locals_.size() <= each.slot) locals_.resize(each.slot + 1);
    const std::string item = locals_[each.slot] = localName(each.name);
    const std::string test = each.kind == NodeKind::transform && each.children.size() == 2
                                 ? ""
                                 : fmt::format("({}) => {}", item, condition(*each.children[1]));
    switch (each.kind) {
      case NodeKind::all:
        return {fmt::format("{}.every({})", range, test), JsType::boolean, true};
      case NodeKind::exists:
        return {fmt::format("{}.some({})", range, test), JsType::boolean, true};
      case NodeKind::existsOne:
        return {fmt::format("{}.filter({}).length === 1", range, test), JsType::boolean, false};
      case NodeKind::filter:
        return {fmt::format("{}.filter({})", range, test), JsType::list, true};
      default:
        break;
    }
    const std::string value = node(*each.children.back()).code;
    const std::string_view open = value.starts_with('{') ? "(" : "";
    const std::string_view close = value.starts_with('{') ? ")" : "";
    const std::string filtered = test.empty() ? range : fmt::format("{}.filter({})", range, test);
    return {fmt::format("{}.map(({}) => {}{}{})", filtered, item, open, value, close), JsType::list, true};
  }

  const cel::Program& program_;
  FlowScope& scope_;
  std::vector<std::string> locals_;
  std::string problem_;
};

}  // namespace

std::string jsString(std::string_view text) {
  std::string out;
  doc::writeJsonString(out, text);
  return out;
}

std::string jsKey(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  const bool plain = !name.empty() && fits(name[0]) &&
                     std::ranges::all_of(name, [&](char c) { return fits(c) || (c >= '0' && c <= '9'); });
  // A computed key, so that it is a field like any other.
  if (name == "__proto__") return "[\"__proto__\"]";
  return plain ? std::string(name) : jsString(name);
}

Result<JsExpression> compileExpression(std::string_view source, FlowScope& scope) {
  TRY(const auto program, cel::checkedProgram(source, scope.environment()));
  return ExpressionWriter(*program, scope).write();
}

Result<std::string> compileCondition(std::string_view source, FlowScope& scope) {
  TRY(JsExpression written, compileExpression(source, scope));
  if (written.type == JsType::boolean) return std::move(written.code);
  return fmt::format("{}({})", scope.helper("truth"), written.code);
}

}  // namespace mb::functions
