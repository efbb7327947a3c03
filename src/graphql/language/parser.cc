#include "graphql/language/parser.h"

#include "graphql/language/lexer.h"

namespace mb::graphql {

namespace {

#define PARSE_(tmp, decl, ...)                              \
  auto tmp = (__VA_ARGS__);                                 \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)
#define PARSE(decl, ...) PARSE_(MB_CONCAT(parsed_, __LINE__), decl, __VA_ARGS__)

class Parser {
 public:
  explicit Parser(std::string_view source) : lexer_(source) {}

  Parsed<bool> document(Request& request) {
    PARSE(token_, lexer_.next());
    do {
      if (token_.isName("fragment")) {
        PARSE(Fragment fragment, fragmentDefinition());
        request.byName.emplace(fragment.name, request.fragments.size());
        request.fragments.push_back(std::move(fragment));
      } else {
        PARSE(Operation operation, operationDefinition());
        request.operations.push_back(std::move(operation));
      }
    } while (token_.kind != TokenKind::end);
    return true;
  }

 private:
  // Counts one level of nesting during its lifetime.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  std::unexpected<Problem> wrong(std::string message) const {
    return std::unexpected(Problem{"Syntax Error: " + std::move(message), {token_.at}});
  }
  std::unexpected<Problem> unexpected() const { return wrong(fmt::format("Unexpected {}.", token_.described())); }
  std::unexpected<Problem> expected(std::string_view what) const {
    return wrong(fmt::format("Expected {}, found {}.", what, token_.described()));
  }
  bool tooDeep() const { return depth_ > kMaxNested; }
  std::unexpected<Problem> deep() const { return wrong(fmt::format("nested more than {} deep.", kMaxNested)); }

  Parsed<bool> advance() {
    PARSE(token_, lexer_.next());
    return true;
  }
  Parsed<bool> expect(std::string_view punctuator) {
    if (!token_.is(punctuator)) return expected(fmt::format("\"{}\"", punctuator));
    return advance();
  }
  // Consumes `punctuator` if it is the next token; returns whether it was.
  Parsed<bool> skip(std::string_view punctuator) {
    if (!token_.is(punctuator)) return false;
    return advance();
  }
  Parsed<std::string_view> name() {
    if (token_.kind != TokenKind::name) return expected("Name");
    const std::string_view word = token_.word;
    PARSE(const bool moved, advance());
    (void)moved;
    return word;
  }

  Parsed<Operation> operationDefinition() {
    Operation operation;
    operation.at = token_.at;
    if (!token_.is("{")) {
      if (token_.isName("query")) {
        operation.kind = OperationKind::query;
      } else if (token_.isName("mutation")) {
        operation.kind = OperationKind::mutation;
      } else if (token_.isName("subscription")) {
        operation.kind = OperationKind::subscription;
      } else {
        return unexpected();
      }
      if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
      if (token_.kind == TokenKind::name) {
        PARSE(operation.name, name());
      }
      if (token_.is("(")) {
        PARSE(operation.variables, variableDefinitions());
      }
      PARSE(operation.directives, directives(false));
    }
    PARSE(operation.selections, selectionSet());
    return operation;
  }

  Parsed<Fragment> fragmentDefinition() {
    Fragment fragment;
    fragment.at = token_.at;
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    if (token_.isName("on")) return unexpected();
    PARSE(fragment.name, name());
    if (!token_.isName("on")) return expected("\"on\"");
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    fragment.conditionAt = token_.at;
    PARSE(fragment.condition, name());
    PARSE(fragment.directives, directives(false));
    PARSE(fragment.selections, selectionSet());
    return fragment;
  }

  Parsed<std::vector<VariableDefinition>> variableDefinitions() {
    std::vector<VariableDefinition> all;
    if (auto open = expect("("); !open) return std::unexpected(std::move(open).error());
    do {
      VariableDefinition variable;
      variable.at = token_.at;
      if (auto dollar = expect("$"); !dollar) return std::unexpected(std::move(dollar).error());
      PARSE(variable.name, name());
      if (auto colon = expect(":"); !colon) return std::unexpected(std::move(colon).error());
      PARSE(variable.type, type());
      PARSE(const bool hasDefault, skip("="));
      if (hasDefault) {
        PARSE(variable.fallback, value(true));
      }
      PARSE(variable.directives, directives(true));
      all.push_back(std::move(variable));
    } while (!token_.is(")"));
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return all;
  }

  Parsed<TypeNode> type() {
    const Level level(depth_);
    if (tooDeep()) return deep();
    TypeNode node;
    node.at = token_.at;
    PARSE(const bool list, skip("["));
    if (list) {
      PARSE(TypeNode items, type());
      node.items = std::make_unique<TypeNode>(std::move(items));
      if (auto close = expect("]"); !close) return std::unexpected(std::move(close).error());
    } else {
      PARSE(node.name, name());
    }
    PARSE(node.nonNull, skip("!"));
    return node;
  }

  Parsed<std::vector<Selection>> selectionSet() {
    const Level level(depth_);
    if (tooDeep()) return deep();
    if (auto open = expect("{"); !open) return std::unexpected(std::move(open).error());
    std::vector<Selection> all;
    do {
      PARSE(Selection one, token_.is("...") ? fragmentSelection() : field());
      all.push_back(std::move(one));
    } while (!token_.is("}"));
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return all;
  }

  Parsed<Selection> field() {
    Selection field;
    field.at = token_.at;
    PARSE(field.name, name());
    PARSE(const bool aliased, skip(":"));
    if (aliased) {
      field.alias = field.name;
      PARSE(field.name, name());
    }
    PARSE(field.arguments, arguments(false));
    PARSE(field.directives, directives(false));
    if (token_.is("{")) {
      PARSE(field.selections, selectionSet());
    }
    return field;
  }

  Parsed<Selection> fragmentSelection() {
    Selection one;
    one.at = token_.at;
    if (auto dots = expect("..."); !dots) return std::unexpected(std::move(dots).error());
    if (token_.kind == TokenKind::name && token_.word != "on") {
      one.kind = SelectionKind::spread;
      PARSE(one.name, name());
      PARSE(one.directives, directives(false));
      return one;
    }
    one.kind = SelectionKind::inlineFragment;
    if (token_.isName("on")) {
      if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
      one.conditionAt = token_.at;
      PARSE(one.condition, name());
    }
    PARSE(one.directives, directives(false));
    PARSE(one.selections, selectionSet());
    return one;
  }

  Parsed<std::vector<Argument>> arguments(bool constant) {
    std::vector<Argument> all;
    PARSE(const bool open, skip("("));
    if (!open) return all;
    do {
      Argument argument;
      argument.at = token_.at;
      PARSE(argument.name, name());
      if (auto colon = expect(":"); !colon) return std::unexpected(std::move(colon).error());
      PARSE(argument.value, value(constant));
      all.push_back(std::move(argument));
    } while (!token_.is(")"));
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return all;
  }

  Parsed<std::vector<Directive>> directives(bool constant) {
    std::vector<Directive> all;
    while (token_.is("@")) {
      Directive directive;
      directive.at = token_.at;
      if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
      PARSE(directive.name, name());
      PARSE(directive.arguments, arguments(constant));
      all.push_back(std::move(directive));
    }
    return all;
  }

  Parsed<Value> value(bool constant) {
    const Level level(depth_);
    if (tooDeep()) return deep();
    if (token_.is("[")) return listValue(constant);
    if (token_.is("{")) return objectValue(constant);
    Value value;
    value.at = token_.at;
    if (token_.is("$")) {
      if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
      value.kind = ValueKind::variable;
      if (constant) {
        if (token_.kind != TokenKind::name) return unexpected();
        return wrong(fmt::format("Unexpected variable \"${}\" in constant value.", token_.word));
      }
      PARSE(value.name, name());
      return value;
    }
    switch (token_.kind) {
      case TokenKind::integer:
        value.kind = ValueKind::integer;
        break;
      case TokenKind::real:
        value.kind = ValueKind::real;
        break;
      case TokenKind::string:
      case TokenKind::blockString:
        value.kind = ValueKind::string;
        value.text = std::move(token_.text);
        break;
      case TokenKind::name:
        value.kind = ValueKind::enumeration;
        if (token_.word == "true" || token_.word == "false") value.kind = ValueKind::boolean;
        if (token_.word == "null") value.kind = ValueKind::null;
        break;
      case TokenKind::end:
      case TokenKind::punctuator:
        return unexpected();
    }
    value.name = token_.word;
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return value;
  }

  Parsed<Value> listValue(bool constant) {
    Value list;
    list.kind = ValueKind::list;
    list.at = token_.at;
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    while (!token_.is("]")) {
      PARSE(Value item, value(constant));
      list.items.push_back(std::move(item));
    }
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return list;
  }

  Parsed<Value> objectValue(bool constant) {
    Value object;
    object.kind = ValueKind::object;
    object.at = token_.at;
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    while (!token_.is("}")) {
      ObjectField field;
      field.at = token_.at;
      PARSE(field.name, name());
      if (auto colon = expect(":"); !colon) return std::unexpected(std::move(colon).error());
      PARSE(field.value, value(constant));
      object.fields.push_back(std::move(field));
    }
    if (auto moved = advance(); !moved) return std::unexpected(std::move(moved).error());
    return object;
  }

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
};

}  // namespace

std::string TypeNode::text() const {
  std::string shown = items ? "[" + items->text() + "]" : std::string(name);
  if (nonNull) shown += '!';
  return shown;
}

std::string_view operationWord(OperationKind kind) {
  switch (kind) {
    case OperationKind::query:
      return "query";
    case OperationKind::mutation:
      return "mutation";
    case OperationKind::subscription:
      break;
  }
  return "subscription";
}

const Fragment* Request::fragment(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &fragments[found->second];
}

Parsed<Request> parse(std::string source) {
  Request request;
  request.source = std::make_shared<const std::string>(std::move(source));
  Parser parser(*request.source);
  if (auto read = parser.document(request); !read) return std::unexpected(std::move(read).error());
  return request;
}

}  // namespace mb::graphql
