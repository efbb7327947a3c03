#include <fmt/format.h>

#include <algorithm>

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

// Must not be moved after parsing: nodes view the source.
class CompiledExpression final : public Expression {
 public:
  explicit CompiledExpression(std::string_view source) { program_.source = source; }

  std::vector<Problem> build(const Environment& environment) { return check(program_, environment, type_); }

  std::string_view resultType() const override { return type_; }

  bool uses(std::string_view variable) const override {
    return std::ranges::any_of(program_.nodes, [&](const Node& node) {
      return node.kind == NodeKind::variable && program_.variables[node.slot] == variable;
    });
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

 private:
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
