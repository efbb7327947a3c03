#include "document/filter_parser.h"

#include <algorithm>

#include "document/traverse.h"

namespace mb::doc {

namespace {

// Each numeric step can be a position or a name, and both are matched, so the limit keeps 2^n small.
constexpr auto kMaxNumericSteps = 8;

std::unexpected<Error> refuseFilter(std::string message) {
  return fail(ErrorCode::invalidFilter, std::move(message));
}

bool isOperatorObject(ValueView value) {
  if (value.type() != BsonType::document || value.asDocument().empty()) return false;
  return value.asDocument().begin()->key.starts_with('$');
}

std::optional<FilterOp> logicalOp(std::string_view key) {
  if (key == "$and") return FilterOp::all;
  if (key == "$or") return FilterOp::any;
  if (key == "$nor") return FilterOp::none;
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<FilterNode>> FilterParser::conditions(DocumentView source, const std::string& prefix,
                                                             int depth) {
  RETURN_IF_ERROR(checkDepth(depth));
  auto node = std::make_shared<FilterNode>();
  for (const Element& element : source) {
    if (element.key.starts_with('$')) {
      RETURN_IF_ERROR(logical(*node, element.key, element.value, prefix, depth));
    } else {
      TRY(const Position at, position(element.key, prefix));
      RETURN_IF_ERROR(field(*node, at, element.value, depth));
    }
  }
  return node;
}

Result<> FilterParser::logical(FilterNode& parent, std::string_view op, ValueView value, const std::string& prefix,
                               int depth) {
  const auto kind = logicalOp(op);
  if (!kind) return refuseFilter(fmt::format("\"{}\" is not an operator here", op.substr(0, 100)));
  if (value.type() != BsonType::array || value.asDocument().empty()) {
    return refuseFilter(fmt::format("{} takes a non-empty array of filters", op));
  }
  auto node = std::make_shared<FilterNode>();
  node->op = *kind;
  for (const Element& element : value.asDocument()) {
    if (element.value.type() != BsonType::document) {
      return refuseFilter(fmt::format("{} takes a non-empty array of filters", op));
    }
    TRY(Node child, conditions(element.value.asDocument(), prefix, depth + 1));
    if (child->children.empty()) RETURN_IF_ERROR(count());
    const bool isSingle = child->children.size() == 1;
    node->children.push_back(isSingle ? child->children.front() : std::move(child));
  }
  if (*kind == FilterOp::all) {
    parent.children.insert(parent.children.end(), node->children.begin(), node->children.end());
  } else {
    parent.children.push_back(std::move(node));
  }
  return {};
}

Result<FilterParser::Position> FilterParser::position(std::string_view key, const std::string& prefix) const {
  auto path = FieldPath::parse(key);
  if (!path) return refuseFilter(path.error().message());
  if (std::ranges::count_if(path->steps(), isAllDigits) > kMaxNumericSteps) {
    return refuseFilter(
        fmt::format("the path \"{}\" has more than {} numeric steps", key.substr(0, 100), kMaxNumericSteps));
  }
  std::string full = prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
  return Position{*std::move(path), std::move(full)};
}

Result<> FilterParser::field(FilterNode& parent, const Position& position, ValueView value, int depth) {
  if (isOperatorObject(value)) return operators(parent, position, value.asDocument(), depth);
  TRY(Node node, comparison(position, FilterOp::eq, value));
  parent.children.push_back(std::move(node));
  return {};
}

Result<> FilterParser::operators(FilterNode& parent, const Position& position, DocumentView source, int depth) {
  if (source.find("$regex")) {
    TRY(Node node, regex(position, source));
    parent.children.push_back(std::move(node));
  }
  for (const Element& element : source) {
    if (element.key == "$regex") continue;
    if (element.key == "$options" && source.find("$regex")) continue;
    TRY(Node node, operation(position, element.key, element.value, depth));
    parent.children.push_back(std::move(node));
  }
  return {};
}

Result<FilterParser::Node> FilterParser::inverted(const Position& position, ValueView value, int depth) {
  if (!isOperatorObject(value)) return refuseFilter("$not takes an object of operators");
  RETURN_IF_ERROR(checkDepth(depth + 1));
  auto child = std::make_shared<FilterNode>();
  RETURN_IF_ERROR(operators(*child, position, value.asDocument(), depth + 1));
  if (child->children.size() > 1) return negated(position, std::move(child));
  auto node = std::make_shared<FilterNode>();
  node->op = FilterOp::negate;
  node->path = position.path;
  node->children = std::move(child->children);
  return node;
}

Result<FilterParser::Node> FilterParser::elemMatch(const Position& position, ValueView value, int depth) {
  if (value.type() != BsonType::document) return refuseFilter("$elemMatch takes an object");
  RETURN_IF_ERROR(checkDepth(depth + 1));
  const DocumentView source = value.asDocument();
  auto node = std::make_shared<FilterNode>();
  node->op = FilterOp::elemMatch;
  node->path = position.path;
  node->elementIsValue = isOperatorObject(value) && !logicalOp(source.begin()->key);
  if (node->elementIsValue) {
    auto child = std::make_shared<FilterNode>();
    const Position element{FieldPath(), position.full};
    RETURN_IF_ERROR(operators(*child, element, source, depth + 1));
    node->children.push_back(std::move(child));
  } else {
    TRY(Node child, conditions(source, position.full, depth + 1));
    if (child->children.empty()) RETURN_IF_ERROR(count());
    node->children.push_back(std::move(child));
  }
  return node;
}

Result<FilterParser::Node> FilterParser::leaf(const Position& position, FilterOp op) {
  RETURN_IF_ERROR(count());
  auto node = std::make_shared<FilterNode>();
  node->op = op;
  node->path = position.path;
  return node;
}

FilterParser::Node FilterParser::negated(const Position& position, Node child) const {
  auto node = std::make_shared<FilterNode>();
  node->op = FilterOp::negate;
  node->path = position.path;
  node->children.push_back(std::move(child));
  return node;
}

Result<> FilterParser::count(int conditions) {
  conditions_ += conditions;
  if (conditions_ <= limits_.maxConditions) return {};
  return refuseFilter(fmt::format("a filter may hold at most {} conditions", limits_.maxConditions));
}

Result<> FilterParser::checkDepth(int depth) const {
  if (depth <= limits_.maxDepth) return {};
  return refuseFilter(fmt::format("a filter may be nested at most {} levels deep", limits_.maxDepth));
}

}  // namespace mb::doc
