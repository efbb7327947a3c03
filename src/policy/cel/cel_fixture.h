// Helpers of the expression tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "policy/cel/cel.h"

namespace mb::cel {

// The outcome of an expression: true, false, an error at run time, or refused at save.
enum class Outcome { yes, no, error, refused };

inline std::string_view outcomeText(Outcome outcome) {
  switch (outcome) {
    case Outcome::yes:
      return "true";
    case Outcome::no:
      return "false";
    case Outcome::error:
      return "error";
    case Outcome::refused:
      return "refused";
  }
  return "";
}

// document and previous are maps, x is dyn, now is 2026-01-31T09:30:00.250Z.
inline Environment plainEnvironment() {
  Environment environment;
  environment.declarations = {
      {"document", "map", nullptr, {}}, {"now", "timestamp", nullptr, {}}, {"x", "dyn", nullptr, {}}};
  return environment;
}

struct Ran {
  Outcome outcome;
  std::string message;
};

inline Ran run(std::string_view source, std::string_view documentJson = "{}", int costLimit = 10'000) {
  const auto expression = Expression::compile(source, plainEnvironment());
  if (!expression) return {Outcome::refused, expression.error().message()};
  const auto document = doc::parseJson(documentJson);
  if (!document) return {Outcome::error, "the test's document is no JSON"};
  std::vector<Variable> variables(2);
  variables[0].name = "document";
  variables[0].value = document->view();
  variables[1].name = "now";
  variables[1].timestamp = Timestamp{1'769'851'800'250};
  const Evaluation evaluation = (*expression)->test(variables, costLimit);
  switch (evaluation.kind) {
    case Evaluation::Kind::yes:
      return {Outcome::yes, {}};
    case Evaluation::Kind::no:
      return {Outcome::no, {}};
    case Evaluation::Kind::error:
      break;
  }
  return {Outcome::error, evaluation.message};
}

struct Case {
  std::string_view source;
  Outcome expected = Outcome::yes;
};

inline void expectAll(const std::vector<Case>& cases, std::string_view documentJson = "{}") {
  for (const Case& each : cases) {
    const Ran ran = run(each.source, documentJson);
    EXPECT_EQ(outcomeText(ran.outcome), outcomeText(each.expected)) << each.source << "\n  " << ran.message;
  }
}

}  // namespace mb::cel
