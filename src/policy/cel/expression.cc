#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/work_budget.h"
#include "policy/cel/ast.h"
#include "policy/cel/cel.h"
#include "policy/cel/checker.h"
#include "policy/cel/lexer.h"
#include "policy/cel/parser.h"
#include "policy/cel/result.h"
#include "policy/cel/run.h"

namespace mb::cel {
namespace {

// The limit for the patterns of one evaluation, in addition to its steps (base/work_budget.h).
constexpr int64_t kExpressionWork = kCoreWork / 2;
constexpr size_t kMaxParts = 100;
constexpr int kPartsCost = 100'000;  // of all together

std::string errorText(const Value& error) {
  return fmt::format("{} (line {}, column {})", error.data, error.size >> 16, error.size & 0xFFFF);
}

// Sets `type` to the type of the expression.
std::vector<Problem> check(Program& program, const Environment& environment, std::string& type) {
  std::vector<Problem> problems;
  if (program.source.size() > kMaxSourceBytes) {
    problems.push_back({1, 1, fmt::format("the expression must not be longer than {} bytes", kMaxSourceBytes)});
  } else if (!isValidUtf8(program.source)) {
    problems.push_back({1, 1, "the expression must be valid UTF-8"});
  } else if (Parser(program, problems).parse()) {
    type = Checker(program, environment, problems).check();
  }
  return problems;
}

Error asError(const std::vector<Problem>& problems) {
  std::vector<ErrorDetail> details;
  for (const Problem& problem : problems) {
    details.push_back({fmt::format("{}:{}", problem.line, problem.column), problem.message});
  }
  const Problem& first = problems.front();
  return Error(ErrorCode::validation, fmt::format("line {}, column {}: {}", first.line, first.column, first.message))
      .withDetails(std::move(details));
}

bool isString(const Node& node) {
  return node.kind == NodeKind::constant && node.constant.kind == Kind::string;
}

// The constant key of an entry of children[0]: of a selection, has() or an index; nullopt for other nodes.
std::optional<std::string_view> keyOf(const Node& node) {
  if (node.kind == NodeKind::select || node.kind == NodeKind::has) return node.name;
  const bool indexes = node.kind == NodeKind::call && node.name == "_[_]" && isString(*node.children[1]);
  return indexes ? std::optional(node.children[1]->constant.text()) : std::nullopt;
}

bool isOperator(const Node& node) {
  if (node.kind == NodeKind::logicalAnd || node.kind == NodeKind::logicalOr || node.kind == NodeKind::conditional) {
    return true;
  }
  return node.kind == NodeKind::call && !node.children.empty() && !node.children.front()->text.empty();
}

// Must not be moved after parsing: nodes view the source.
class CompiledExpression final : public Expression {
 public:
  explicit CompiledExpression(std::string_view source) { program_.source = source; }

  std::vector<Problem> build(const Environment& environment) { return check(program_, environment, type_); }

  std::string_view source() const override { return program_.source; }
  std::string_view resultType() const override { return type_; }

  bool uses(std::string_view variable) const override {
    return std::ranges::any_of(program_.nodes, [&](const Node& node) {
      return node.kind == NodeKind::variable && program_.variables[node.slot] == variable;
    });
  }

  Selection selectedFrom(std::string_view variable, std::string_view field) const override {
    Selection selection;
    select(*program_.root, nullptr, variable, field, selection);
    std::ranges::sort(selection.names);
    const auto repeated = std::ranges::unique(selection.names);
    selection.names.erase(repeated.begin(), repeated.end());
    return selection;
  }

  std::vector<EntryName> entriesOf(std::string_view variable, std::string_view field) const override {
    const auto isMap = [&](const Node& node) {
      if (node.kind == NodeKind::has || keyOf(node) != field) return false;
      const Node& of = *node.children[0];
      return of.kind == NodeKind::variable && program_.variables[of.slot] == variable;
    };
    std::vector<EntryName> names;
    const auto add = [&](const Node& node, std::string_view name) {
      names.push_back({node.at.line, node.at.column, std::string(name)});
    };
    for (const Node& node : program_.nodes) {
      if (const auto key = keyOf(node); key && isMap(*node.children[0])) add(node, *key);
      const bool searches = node.kind == NodeKind::call && node.name == "@in";
      if (searches && isString(*node.children[0]) && isMap(*node.children[1])) {
        add(node, node.children[0]->constant.text());
      }
    }
    const auto order = [](const EntryName& each) { return std::tie(each.line, each.column, each.name); };
    std::ranges::sort(names, {}, order);
    // The selection in has() is a node too.
    const auto repeated = std::ranges::unique(names, {}, order);
    names.erase(repeated.begin(), repeated.end());
    return names;
  }

  Evaluation test(std::span<const Variable> variables, int costLimit) const override {
    const WorkBudget work(kExpressionWork);
    Run run(program_, variables, costLimit);
    const Value value = run.evaluate(*program_.root);
    if (run.exhausted()) return {Evaluation::Kind::error, kCostLimit};
    if (value.isError()) return {Evaluation::Kind::error, errorText(value)};
    if (value.kind != Kind::boolean) {
      return {Evaluation::Kind::error, fmt::format("the result is {}, not bool", kindName(value.kind))};
    }
    return {value.boolean ? Evaluation::Kind::yes : Evaluation::Kind::no, {}};
  }

  Result<doc::Document> evaluate(std::span<const Variable> variables, int costLimit) const override {
    const WorkBudget work(kExpressionWork);
    Run run(program_, variables, costLimit);
    const Value value = run.evaluate(*program_.root);
    doc::BsonWriter out;
    if (!run.exhausted() && !value.isError()) writeResult(run, out, "", value);
    if (run.exhausted()) return fail(ErrorCode::validation, kCostLimit);
    if (value.isError()) return fail(ErrorCode::validation, errorText(value));
    return out.finish();
  }

  void writeParts(doc::BsonWriter& out, std::string_view key, std::span<const Variable> variables) const override {
    const WorkBudget work(kExpressionWork);
    Run run(program_, variables, kPartsCost);
    out.beginArray(key);
    const Node& root = *program_.root;
    for (size_t i = 0; isOperator(root) && i < std::min(root.children.size(), kMaxParts); ++i) {
      out.beginDocument(doc::arrayKey(i));
      out.appendString("text", root.children[i]->text);
      writePart(run, out, *root.children[i]);
      out.end();
    }
    out.end();
  }

 private:
  static void writePart(Run& run, doc::BsonWriter& out, const Node& part) {
    const Value value = run.evaluate(part);
    const size_t before = out.size();
    if (!run.exhausted() && !value.isError()) writeResult(run, out, "value", value);
    if (!run.exhausted() && !value.isError()) return;
    out.rewind(before);
    out.appendString("error", run.exhausted() ? kCostLimit : errorText(value));
  }

  // `parent` is the node of which `node` is the first child; null otherwise.
  void select(const Node& node, const Node* parent, std::string_view variable, std::string_view field,
              Selection& selection) const {
    const bool selected = node.kind != NodeKind::has && keyOf(node) == field &&
                          node.children[0]->kind == NodeKind::variable &&
                          program_.variables[node.children[0]->slot] == variable;
    if (selected) {
      const auto name = parent == nullptr ? std::nullopt : keyOf(*parent);
      if (name) {
        selection.names.emplace_back(*name);
      } else {
        selection.whole = true;
      }
    }
    for (size_t i = 0; i < node.children.size(); ++i) {
      select(*node.children[i], i == 0 ? &node : nullptr, variable, field, selection);
    }
  }

  Program program_;
  std::string type_;
};

}  // namespace

std::string_view kindName(Kind kind) {
  switch (kind) {
    case Kind::error:
      return "error";
    case Kind::null:
      return "null_type";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::uinteger:
      return "uint";
    case Kind::real:
      return "double";
    case Kind::string:
      return "string";
    case Kind::bytes:
      return "bytes";
    case Kind::list:
      return "list";
    case Kind::map:
      return "map";
    case Kind::timestamp:
      return "google.protobuf.Timestamp";
    case Kind::duration:
      return "google.protobuf.Duration";
    case Kind::type:
      return "type";
  }
  return "error";
}

Result<std::shared_ptr<const Expression>> Expression::compile(std::string_view source, const Environment& environment) {
  auto compiled = std::make_shared<CompiledExpression>(source);
  const std::vector<Problem> problems = compiled->build(environment);
  if (!problems.empty()) return fail(asError(problems));
  return compiled;
}

Result<std::unique_ptr<const Program>> checkedProgram(std::string_view source, const Environment& environment) {
  auto program = std::make_unique<Program>();
  program->source = source;
  std::string type;
  const std::vector<Problem> problems = check(*program, environment, type);
  if (!problems.empty()) return fail(asError(problems));
  return program;
}

}  // namespace mb::cel
