#include "functions/flow_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/json.h"
#include "functions/flow_expression.h"
#include "functions/flow_template.h"

namespace mb::functions {

namespace {

using doc::BsonType;
using doc::ValueView;

constexpr size_t kWidth = 100;
constexpr int64_t kMaxExactInteger = (int64_t{1} << 53) - 1;

// JavaScript has no type for durations: they become text.
std::string withoutDurations(const JsExpression& expression, FlowScope& scope) {
  const bool may = expression.type == JsType::duration ||
                   (expression.type == JsType::dyn &&
                    (expression.code.starts_with("add(") || expression.code.starts_with("subtract(")));
  return may ? fmt::format("{}({})", scope.helper("plain"), expression.code) : expression.code;
}

Result<std::string> pieceText(const TemplatePiece& piece, FlowScope& scope) {
  if (!piece.isExpression) return jsString(piece.text);
  TRY(const JsExpression expression, compileExpression(piece.text, scope));
  if (expression.type == JsType::text && expression.atom) return expression.code;
  return fmt::format("{}({})", scope.helper("text"), withoutDurations(expression, scope));
}

Result<std::string> joined(const std::vector<TemplatePiece>& pieces, FlowScope& scope) {
  std::vector<std::string> parts;
  for (const TemplatePiece& piece : pieces) {
    TRY(std::string part, pieceText(piece, scope));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, " + "));
}

class FlowValueWriter {
 public:
  FlowValueWriter(ValueUse use, FlowScope& scope) : use_(use), scope_(scope) {}

  Result<std::string> write(ValueView value, size_t indent) {
    switch (value.type()) {
      case BsonType::string:
        return string(value.asString());
      case BsonType::document:
      case BsonType::array:
        return container(value, indent);
      case BsonType::date:
        return fmt::format("new Date({})", jsString(toRfc3339(value.asDate())));
      case BsonType::int64:
        if (value.asInt64() > kMaxExactInteger || value.asInt64() < -kMaxExactInteger)
          return fmt::format("{}n", value.asInt64());
        [[fallthrough]];
      case BsonType::int32:
      case BsonType::real:
      case BsonType::boolean:
      case BsonType::null: {
        std::string out;
        doc::writeJsonValue(out, value);
        return out;
      }
      default:
        return fail(ErrorCode::validation, "holds a value of a type that code cannot have");
    }
  }

 private:
  Result<std::string> string(std::string_view text) {
    TRY(const std::vector<TemplatePiece> pieces, splitTemplate(text));
    if (pieces.empty()) return "\"\"";
    if (pieces.size() > 1 || !pieces.front().isExpression) return joined(pieces, scope_);
    TRY(const JsExpression expression, compileExpression(pieces.front().text, scope_));
    const std::string code = withoutDurations(expression, scope_);
    const bool open =
        expression.type == JsType::dyn || expression.type == JsType::map || expression.type == JsType::list;
    if (use_ == ValueUse::plain || !open) return code;
    return fmt::format("{}({})", scope_.helper("operand"), code);
  }

  Result<std::string> container(ValueView value, size_t indent) {
    const bool isArray = value.type() == BsonType::array;
    std::vector<std::string> members;
    size_t width = 0;
    bool lines = false;
    for (const auto& [key, each] : value.asDocument()) {
      auto code = write(each, indent + 1);
      if (!code) return fail(ErrorCode::validation, placed(key, each, code.error().message()));
      members.push_back(isArray ? *std::move(code) : fmt::format("{}: {}", jsKey(key), *code));
      width += members.back().size() + 2;
      lines = lines || members.back().contains('\n');
    }
    if (members.empty()) return isArray ? "[]" : "{}";
    if (width <= kWidth && !lines) {
      return isArray ? fmt::format("[{}]", fmt::join(members, ", "))
                     : fmt::format("{{ {} }}", fmt::join(members, ", "));
    }
    const std::string inner(2 * (indent + 1), ' ');
    std::string out = isArray ? "[\n" : "{\n";
    for (const std::string& member : members) out += fmt::format("{}{},\n", inner, member);
    return out + std::string(2 * indent, ' ') + (isArray ? "]" : "}");
  }

  static std::string placed(std::string_view key, ValueView value, std::string_view message) {
    return value.isContainer() ? fmt::format("{}.{}", key, message) : fmt::format("{}: {}", key, message);
  }

  ValueUse use_;
  FlowScope& scope_;
};

}  // namespace

Result<std::string> valueCode(ValueView value, ValueUse use, size_t indent, FlowScope& scope) {
  // Through JSON text, so that {"$date": …} becomes a date.
  std::string text;
  doc::writeJsonValue(text, value);
  TRY(const doc::Document read, doc::parseJsonValue(text));
  return FlowValueWriter(use, scope).write(read.view().begin()->value, indent);
}

Result<std::string> textCode(std::string_view source, FlowScope& scope) {
  TRY(const std::vector<TemplatePiece> pieces, splitTemplate(source));
  if (pieces.empty()) return "\"\"";
  return joined(pieces, scope);
}

}  // namespace mb::functions
