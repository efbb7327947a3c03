#include "policy/cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mb::cel {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  std::string_view function;
  int precedence;
};

constexpr int kRelation = 0;
constexpr int kTightest = 2;
constexpr BinaryOperator kBinary[] = {
    {"==", "_==_", kRelation}, {"!=", "_!=_", kRelation}, {"<=", "_<=_", kRelation}, {">=", "_>=_", kRelation},
    {"<", "_<_", kRelation},   {">", "_>_", kRelation},   {"in", "@in", kRelation},  {"+", "_+_", 1},
    {"-", "_-_", 1},           {"*", "_*_", kTightest},   {"/", "_/_", kTightest},   {"%", "_%_", kTightest},
};

const BinaryOperator* binaryOperator(const Token& token, int precedence) {
  if (token.kind != TokenKind::symbol && token.kind != TokenKind::keyword) return nullptr;
  for (const BinaryOperator& op : kBinary) {
    if (op.precedence == precedence && op.symbol == token.text) return &op;
  }
  return nullptr;
}

}  // namespace

bool Parser::parse() {
  advance();
  Node* root = expression();
  if (root != nullptr && token_.kind != TokenKind::end) root = unexpected();
  program_.root = root;
  return root != nullptr;
}

void Parser::advance() {
  end_ = token_.end;
  token_ = lexer_.next();
  if (token_.kind == TokenKind::invalid) failed_ = true;
}

bool Parser::eat(std::string_view symbol) {
  if (!token_.is(symbol)) return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view symbol) {
  if (eat(symbol)) return true;
  if (!failed_) problem(token_.at, fmt::format("syntax error: expected '{}'", symbol));
  return false;
}

Node* Parser::problem(Position at, std::string message) {
  failed_ = true;
  problems_.push_back({at.line, at.column, std::move(message)});
  return nullptr;
}

Node* Parser::unexpected() {
  if (failed_) return nullptr;
  if (token_.kind == TokenKind::end) return problem(token_.at, "syntax error: the expression ends too early");
  return problem(token_.at, fmt::format("syntax error: unexpected '{}'", token_.text));
}

Node* Parser::node(NodeKind kind, Position at, std::vector<Node*> children) {
  uint16_t height = 0;
  for (const Node* child : children) {
    if (child == nullptr) return nullptr;
    height = std::max(height, child->height);
  }
  if (height >= kMaxHeight) return problem(at, "the expression is too deep");
  Node& made = program_.nodes.emplace_back();
  made.kind = kind;
  made.at = at;
  made.children = std::move(children);
  made.height = static_cast<uint16_t>(height + 1);
  return &made;
}

Node* Parser::operand(Node* operand, uint32_t begin) {
  if (operand != nullptr) operand->text = std::string_view(program_.source).substr(begin, end_ - begin);
  return operand;
}

Node* Parser::expression() {
  if (nesting_ >= kMaxNesting) return problem(token_.at, "the expression is nested too deep");
  ++nesting_;
  Node* result = conditional();
  --nesting_;
  return failed_ ? nullptr : result;
}

Node* Parser::conditional() {
  const uint32_t begin = token_.begin;
  Node* condition = logical(true);
  if (condition == nullptr || !token_.is("?")) return condition;
  const Position at = token_.at;
  operand(condition, begin);
  advance();
  const uint32_t yesBegin = token_.begin;
  Node* yes = operand(logical(true), yesBegin);
  if (yes == nullptr || !expect(":")) return nullptr;
  const uint32_t noBegin = token_.begin;
  return node(NodeKind::conditional, at, {condition, yes, operand(expression(), noBegin)});
}

Node* Parser::logical(bool isOr) {
  const std::string_view symbol = isOr ? "||" : "&&";
  const uint32_t begin = token_.begin;
  Node* first = isOr ? logical(false) : binary(kRelation);
  if (first == nullptr || !token_.is(symbol)) return first;
  const Position at = token_.at;
  std::vector<Node*> operands = {operand(first, begin)};
  while (eat(symbol)) {
    const uint32_t from = token_.begin;
    operands.push_back(operand(isOr ? logical(false) : binary(kRelation), from));
    if (operands.back() == nullptr) return nullptr;
  }
  return node(isOr ? NodeKind::logicalOr : NodeKind::logicalAnd, at, std::move(operands));
}

Node* Parser::binary(int precedence) {
  const auto tighter = [&] { return precedence == kTightest ? unary() : binary(precedence + 1); };
  const uint32_t begin = token_.begin;
  Node* left = tighter();
  while (left != nullptr) {
    const BinaryOperator* op = binaryOperator(token_, precedence);
    if (op == nullptr) return left;
    const Position at = token_.at;
    operand(left, begin);
    advance();
    const uint32_t from = token_.begin;
    Node* right = operand(tighter(), from);
    left = right == nullptr ? nullptr : call(at, op->function, nullptr, {left, right});
  }
  return nullptr;
}

Node* Parser::unary() {
  const std::string_view symbol = token_.is("!") ? "!" : "-";
  std::vector<Token> signs;
  while (token_.is(symbol)) {
    signs.push_back(token_);
    advance();
  }
  uint32_t begin = token_.begin;
  Node* result = nullptr;
  const bool isNumber =
      token_.kind == TokenKind::integer || token_.kind == TokenKind::uinteger || token_.kind == TokenKind::real;
  if (symbol == "-" && !signs.empty() && isNumber) {
    begin = signs.back().begin;
    signs.pop_back();
    result = literal(true);
    while (result != nullptr && (token_.is(".") || token_.is("["))) result = memberStep(result);
  } else {
    result = member();
  }
  const std::string_view function = symbol == "!" ? "!_" : "-_";
  for (auto sign = signs.rbegin(); result != nullptr && sign != signs.rend(); ++sign) {
    result = call(sign->at, function, nullptr, {operand(result, begin)});
    begin = sign->begin;
  }
  return result;
}

Node* Parser::member() {
  Node* result = primary();
  while (result != nullptr && (token_.is(".") || token_.is("["))) result = memberStep(result);
  if (result == nullptr || !token_.is("{")) return failed_ ? nullptr : result;
  return messageLiteral(result);
}

Node* Parser::memberStep(Node* receiver) {
  const Position at = token_.at;
  if (eat("[")) {
    Node* index = expression();
    if (index == nullptr || !expect("]")) return nullptr;
    return call(at, "_[_]", nullptr, {receiver, index});
  }
  advance();
  const Token field = token_;
  if (field.kind != TokenKind::identifier && field.kind != TokenKind::quoted) return unexpected();
  advance();
  if (field.kind == TokenKind::identifier && eat("(")) {
    std::vector<Node*> given;
    if (!arguments(given, ")")) return nullptr;
    return call(field.at, field.text, receiver, std::move(given));
  }
  Node* select = node(NodeKind::select, field.at, {receiver});
  if (select != nullptr) select->name = field.text;
  return select;
}

Node* Parser::primary() {
  if (failed_) return nullptr;
  switch (token_.kind) {
    case TokenKind::integer:
    case TokenKind::uinteger:
    case TokenKind::real:
    case TokenKind::string:
    case TokenKind::bytes:
      return literal(false);
    case TokenKind::keyword:
      return token_.text == "in" ? unexpected() : literal(false);
    case TokenKind::identifier:
      return name();
    case TokenKind::symbol:
      break;
    default:
      return unexpected();
  }
  if (eat("(")) {
    Node* inner = expression();
    return inner != nullptr && expect(")") ? inner : nullptr;
  }
  if (token_.is("[")) return listLiteral();
  if (token_.is("{")) return mapLiteral();
  if (token_.is(".")) return name();
  return unexpected();
}

Node* Parser::name() {
  const bool rooted = eat(".");
  const Token word = token_;
  if (word.kind != TokenKind::identifier) return unexpected();
  if (isReservedWord(word.text)) {
    return problem(word.at, fmt::format("syntax error: '{}' is a reserved word", word.text));
  }
  advance();
  if (eat("(")) {
    std::vector<Node*> given;
    if (!arguments(given, ")")) return nullptr;
    return call(word.at, word.text, nullptr, std::move(given));
  }
  Node* identifier = node(NodeKind::identifier, word.at);
  if (identifier == nullptr) return nullptr;
  identifier->name = word.text;
  identifier->rooted = rooted;
  return identifier;
}

Node* Parser::listLiteral() {
  const Position at = token_.at;
  advance();
  std::vector<Node*> items;
  while (!token_.is("]") && !token_.is(",")) {
    items.push_back(expression());
    if (items.back() == nullptr) return nullptr;
    if (!token_.is(",")) break;
    advance();
    if (token_.is("]")) break;
  }
  if (items.empty()) eat(",");
  return expect("]") ? node(NodeKind::list, at, std::move(items)) : nullptr;
}

Node* Parser::mapLiteral() {
  const Position at = token_.at;
  advance();
  std::vector<Node*> entries;
  while (!token_.is("}") && !token_.is(",")) {
    Node* key = expression();
    if (key == nullptr || !expect(":")) return nullptr;
    Node* value = expression();
    if (value == nullptr) return nullptr;
    entries.push_back(key);
    entries.push_back(value);
    if (!token_.is(",")) break;
    advance();
    if (token_.is("}")) break;
  }
  if (entries.empty()) eat(",");
  return expect("}") ? node(NodeKind::map, at, std::move(entries)) : nullptr;
}

Node* Parser::messageLiteral(Node* type) {
  bool rooted = false;
  const std::string name = qualifiedName(*type, rooted);
  if (name.empty()) return unexpected();
  advance();
  std::vector<Node*> values;
  while (!token_.is("}") && !token_.is(",")) {
    if (token_.kind != TokenKind::identifier && token_.kind != TokenKind::quoted) return unexpected();
    advance();
    if (!expect(":")) return nullptr;
    values.push_back(expression());
    if (values.back() == nullptr) return nullptr;
    if (!token_.is(",")) break;
    advance();
  }
  if (values.empty()) eat(",");
  if (!expect("}")) return nullptr;
  Node* message = node(NodeKind::message, type->at, std::move(values));
  if (message != nullptr) message->name = program_.texts.emplace_back(name);
  return message;
}

Node* Parser::literal(bool negative) {
  const Token token = token_;
  Value value;
  switch (token.kind) {
    case TokenKind::integer: {
      constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      if (token.number > kMax + (negative ? 1 : 0)) return problem(token.at, "the integer is out of range");
      value = Value::ofInt(static_cast<int64_t>(negative ? 0 - token.number : token.number));
      break;
    }
    case TokenKind::uinteger:
      if (negative && token.number != 0) return problem(token.at, "the integer is out of range");
      value = Value::ofUint(token.number);
      break;
    case TokenKind::real:
      value = Value::ofReal(negative ? -token.real : token.real);
      break;
    case TokenKind::string:
      value = Value::ofString(token.text);
      break;
    case TokenKind::bytes:
      value = Value::ofBytes(token.text);
      break;
    default:
      if (token.text != "null") value = Value::ofBool(token.text == "true");
      break;
  }
  advance();
  Node* constant = node(NodeKind::constant, token.at);
  if (constant != nullptr) constant->constant = value;
  return failed_ ? nullptr : constant;
}

bool Parser::arguments(std::vector<Node*>& out, std::string_view close) {
  if (eat(close)) return true;
  do {
    out.push_back(expression());
    if (out.back() == nullptr) return false;
  } while (eat(","));
  return expect(close);
}

Node* Parser::call(Position at, std::string_view function, Node* receiver, std::vector<Node*> given) {
  if (Node* expanded = macro(at, function, receiver, given); expanded != nullptr || failed_) return expanded;
  if (receiver != nullptr) given.insert(given.begin(), receiver);
  Node* made = node(NodeKind::call, at, std::move(given));
  if (made == nullptr) return nullptr;
  made->name = function;
  made->member = receiver != nullptr;
  return made;
}

std::string qualifiedName(const Node& node, bool& rooted) {
  if (node.kind == NodeKind::identifier) {
    rooted = node.rooted;
    return std::string(node.name);
  }
  if (node.kind != NodeKind::select) return {};
  std::string name = qualifiedName(*node.children[0], rooted);
  if (name.empty()) return {};
  name += '.';
  name += node.name;
  return name;
}

}  // namespace mb::cel
