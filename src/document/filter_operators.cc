#include <algorithm>
#include <cmath>

#include "document/coercion.h"
#include "document/decimal.h"
#include "document/filter_parser.h"
#include "document/pattern.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

constexpr size_t kMaxListed = 1000;
// Compiling this many takes about three milliseconds of a core.
constexpr int kMaxInstructions = 10'000;

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::invalidFilter, std::move(message));
}

bool holdsOperator(ValueView value) {
  if (!value.isContainer()) return false;
  for (const Element& element : value.asDocument()) {
    if (element.key.starts_with('$') || holdsOperator(element.value)) return true;
  }
  return false;
}

bool isPatternObject(ValueView value) {
  return value.type() == BsonType::document && value.asDocument().find("$regex");
}

// A number truncated to an integer, as in $mod and $size.
std::optional<int64_t> truncatedInteger(ValueView value) {
  if (!value.isNumber()) return std::nullopt;
  if (value.type() == BsonType::decimal) return Decimal::fromBytes(value.asDecimal()).truncated();
  if (value.type() != BsonType::real) return value.toInteger();
  const double whole = std::trunc(value.asReal());
  if (!(whole >= -0x1p63 && whole < 0x1p63)) return std::nullopt;
  return static_cast<int64_t>(whole);
}

struct TypeAlias {
  std::string_view name;
  int code;
};

// MongoDB's names and codes; those of types that no document here has are valid and match nothing.
constexpr std::array kTypeAliases{
    TypeAlias{"double", 1},      TypeAlias{"string", 2},     TypeAlias{"object", 3},
    TypeAlias{"array", 4},       TypeAlias{"binData", 5},    TypeAlias{"undefined", 6},
    TypeAlias{"objectId", 7},    TypeAlias{"bool", 8},       TypeAlias{"date", 9},
    TypeAlias{"null", 10},       TypeAlias{"regex", 11},     TypeAlias{"dbPointer", 12},
    TypeAlias{"javascript", 13}, TypeAlias{"symbol", 14},    TypeAlias{"javascriptWithScope", 15},
    TypeAlias{"int", 16},        TypeAlias{"timestamp", 17}, TypeAlias{"long", 18},
    TypeAlias{"decimal", 19},    TypeAlias{"minKey", -1},    TypeAlias{"maxKey", 127},
};

Result<> addType(FilterNode& node, ValueView value) {
  if (value.type() == BsonType::string && value.asString() == "number") {
    node.anyNumber = true;
    return {};
  }
  const bool isName = value.type() == BsonType::string;
  const auto code = value.isNumber() ? value.toInteger() : std::nullopt;
  const auto found = std::ranges::find_if(kTypeAliases, [&](const TypeAlias& alias) {
    return isName ? alias.name == value.asString() : code == alias.code;
  });
  if (found == kTypeAliases.end()) return refuse("$type takes the name or number of a type, or an array of these");
  node.types.push_back(static_cast<BsonType>(static_cast<uint8_t>(found->code)));
  return {};
}

bool isTruthy(ValueView value) {
  if (value.type() == BsonType::boolean) return value.asBool();
  if (value.isNumber()) return value.toReal() != 0;
  return value.type() != BsonType::null;
}

}  // namespace

Result<Pattern> FilterParser::compiledPattern(DocumentView source) {
  const auto text = source.find("$regex");
  const auto options = source.find("$options");
  if (!text || text->type() != BsonType::string) return refuse("$regex takes a string");
  if (options && options->type() != BsonType::string) return refuse("$options takes a string");
  TRY(Pattern compiled, compilePattern(text->asString(), options ? options->asString() : "", ErrorCode::invalidFilter));
  instructions_ += programSize(compiled);
  if (instructions_ > kMaxInstructions) {
    return refuse("the regular expressions of a filter must not be too large together: use fewer or smaller ones");
  }
  return compiled;
}

// A pattern as a value of $in or $all: its object must not hold anything else.
Result<Pattern> FilterParser::listedPattern(DocumentView source) {
  for (const Element& element : source) {
    if (element.key != "$regex" && element.key != "$options") {
      return refuse(fmt::format("\"{}\" must not be combined with $regex in a list", element.key.substr(0, 100)));
    }
  }
  return compiledPattern(source);
}

Result<FilterParser::Node> FilterParser::operation(const Position& position, std::string_view op, ValueView value,
                                                   int depth) {
  if (op == "$eq") return comparison(position, FilterOp::eq, value);
  if (op == "$gt") return comparison(position, FilterOp::gt, value);
  if (op == "$gte") return comparison(position, FilterOp::gte, value);
  if (op == "$lt") return comparison(position, FilterOp::lt, value);
  if (op == "$lte") return comparison(position, FilterOp::lte, value);
  if (op == "$in") return in(position, op, value);
  if (op == "$exists") return exists(position, value);
  if (op == "$type") return type(position, value);
  if (op == "$all") return contains(position, value, depth);
  if (op == "$elemMatch") return elemMatch(position, value, depth);
  if (op == "$size") return size(position, value);
  if (op == "$mod") return mod(position, value);
  if (op == "$not") return inverted(position, value, depth);
  if (op == "$ne") {
    TRY(Node child, comparison(position, FilterOp::eq, value));
    return negated(position, std::move(child));
  }
  if (op == "$nin") {
    TRY(Node child, in(position, op, value));
    return negated(position, std::move(child));
  }
  if (op == "$options") return refuse("$options requires $regex");
  if (!op.starts_with('$')) return refuse(fmt::format("\"{}\" must not be mixed with operators", op.substr(0, 100)));
  return refuse(fmt::format("\"{}\" is not an operator here", op.substr(0, 100)));
}

Result<FilterParser::Node> FilterParser::comparison(const Position& position, FilterOp op, ValueView value) {
  TRY(Node node, leaf(position, op));
  TRY(node->operand, literal(position, value));
  return node;
}

Result<FilterParser::Node> FilterParser::in(const Position& position, std::string_view op, ValueView value) {
  if (value.type() != BsonType::array) return refuse(fmt::format("{} takes an array", op));
  const DocumentView list = value.asDocument();
  if (list.count() > kMaxListed) return refuse(fmt::format("{} takes at most {} values", op, kMaxListed));
  TRY(Node node, leaf(position, FilterOp::in));
  for (const Element& element : list) {
    if (isPatternObject(element.value)) {
      RETURN_IF_ERROR(count());
      TRY(Pattern pattern, listedPattern(element.value.asDocument()));
      node->patterns.push_back(std::move(pattern));
    } else {
      TRY(Value operand, literal(position, element.value));
      node->operands.push_back(std::move(operand));
    }
  }
  std::ranges::sort(node->operands, [](const Value& a, const Value& b) { return compareValues(a, b) < 0; });
  const auto repeated =
      std::ranges::unique(node->operands, [](const Value& a, const Value& b) { return equalValues(a, b); });
  node->operands.erase(repeated.begin(), repeated.end());
  return node;
}

Result<FilterParser::Node> FilterParser::exists(const Position& position, ValueView value) {
  TRY(Node node, leaf(position, FilterOp::exists));
  node->flag = isTruthy(value);
  return node;
}

Result<FilterParser::Node> FilterParser::type(const Position& position, ValueView value) {
  TRY(Node node, leaf(position, FilterOp::type));
  if (value.type() != BsonType::array) {
    RETURN_IF_ERROR(addType(*node, value));
    return node;
  }
  const DocumentView list = value.asDocument();
  if (list.empty() || list.count() > kTypeAliases.size() + 1) return refuse("$type takes one or more types");
  for (const Element& element : list) RETURN_IF_ERROR(addType(*node, element.value));
  return node;
}

Result<FilterParser::Node> FilterParser::contains(const Position& position, ValueView value, int depth) {
  if (value.type() != BsonType::array) return refuse("$all takes an array");
  TRY(Node node, leaf(position, FilterOp::contains));
  size_t elemMatches = 0;
  size_t listed = 0;
  for (const Element& element : value.asDocument()) {
    if (listed++ > 0) RETURN_IF_ERROR(count());
    if (isPatternObject(element.value)) {
      auto child = std::make_shared<FilterNode>();
      child->op = FilterOp::regex;
      child->path = position.path;
      TRY(Pattern pattern, listedPattern(element.value.asDocument()));
      child->patterns.push_back(std::move(pattern));
      node->children.push_back(std::move(child));
      continue;
    }
    const bool isDocument = element.value.type() == BsonType::document;
    const auto match = isDocument ? element.value.asDocument().find("$elemMatch") : std::nullopt;
    if (!match) {
      TRY(Value operand, literal(position, element.value));
      node->operands.push_back(std::move(operand));
      continue;
    }
    if (element.value.asDocument().count() != 1) return refuse("$elemMatch must be the only key of an object in $all");
    TRY(Node child, elemMatch(position, *match, depth));
    node->children.push_back(std::move(child));
    ++elemMatches;
  }
  if (elemMatches != 0 && elemMatches != listed) return refuse("$all takes either values or $elemMatch objects");
  return node;
}

Result<FilterParser::Node> FilterParser::size(const Position& position, ValueView value) {
  const auto number = value.isNumber() ? truncatedInteger(value) : std::nullopt;
  if (!number || *number < 0 || value.toReal() != static_cast<double>(*number)) {
    return refuse("$size takes a whole number, 0 or greater");
  }
  TRY(Node node, leaf(position, FilterOp::size));
  node->number = *number;
  return node;
}

Result<FilterParser::Node> FilterParser::mod(const Position& position, ValueView value) {
  constexpr std::string_view kForm = "$mod takes an array of two numbers, the first of them not zero";
  if (value.type() != BsonType::array || value.asDocument().count() != 2) return refuse(std::string(kForm));
  auto it = value.asDocument().begin();
  const auto divisor = truncatedInteger(it->value);
  ++it;
  const auto remainder = truncatedInteger(it->value);
  if (!divisor || !remainder || *divisor == 0) return refuse(std::string(kForm));
  TRY(Node node, leaf(position, FilterOp::mod));
  node->divisor = *divisor;
  node->remainder = *remainder;
  return node;
}

Result<FilterParser::Node> FilterParser::regex(const Position& position, DocumentView source) {
  TRY(Node node, leaf(position, FilterOp::regex));
  TRY(Pattern pattern, compiledPattern(source));
  node->patterns.push_back(std::move(pattern));
  return node;
}

Result<Value> FilterParser::literal(const Position& position, ValueView value) const {
  if (holdsOperator(value)) {
    return refuse(fmt::format("\"{}\" needs a value, not an operator", position.full));
  }
  return coerceDeep(coercion_, position.full, value);
}

}  // namespace mb::doc
