#include "functions/flow_scope.h"

#include <algorithm>

#include "functions/contains.h"
#include "functions/flow_helpers.h"
#include "policy/cel/lexer.h"

namespace mb::functions {

namespace {

struct Known {
  std::string_view name;
  std::string_view type;
  std::string_view code;
};
constexpr Known kKnown[] = {
    {"event", "map", "event"},         {"ctx", "map", "ctx"},       {"auth", "dyn", "ctx.auth"},
    {"request", "dyn", "ctx.request"}, {"now", "timestamp", "now"}, {"vars", "map", "vars"},
};

// The short names of policy expressions; a flow's variable of the same name hides them.
constexpr Known kShort[] = {{"document", "dyn", "event.document"}, {"previous", "dyn", "event.previous"}};

}  // namespace

FlowScope::FlowScope(const std::set<std::string>& names) {
  for (const Known& known : kKnown) {
    environment_.declarations.push_back({std::string(known.name), std::string(known.type), nullptr, {}});
  }
  for (const std::string& name : names) environment_.declarations.push_back({name, "dyn", nullptr, {}});
  for (const Known& known : kShort) {
    if (names.contains(std::string(known.name))) continue;
    environment_.declarations.push_back({std::string(known.name), std::string(known.type), nullptr, {}});
    short_.insert(known.name);
  }
}

std::string FlowScope::variable(std::string_view name) {
  if (name == "now") usesNow_ = true;
  if (short_.contains(name)) return std::string(std::ranges::find(kShort, name, &Known::name)->code);
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  return known == std::end(kKnown) ? fmt::format("vars.{}", name) : std::string(known->code);
}

std::string_view FlowScope::helper(std::string_view name) {
  const auto all = flowHelpers();
  const auto found = std::ranges::find(all, name, &FlowHelper::name);
  if (helpers_.insert(std::string(name)).second) {
    for (const std::string_view needed : found->needs) helper(needed);
  }
  return found->name;
}

std::string FlowScope::helperCode() const {
  std::string code;
  for (const FlowHelper& each : flowHelpers()) {
    if (helpers_.contains(each.name)) code += fmt::format("\n{}", each.code);
  }
  return code;
}

std::optional<std::string> variableProblem(std::string_view name) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool isName = !name.empty() && name.size() <= 64 && isLetter(name[0]) && name != "__proto__" &&
                      std::ranges::all_of(name, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
  if (!isName) return "must be a name: a letter or _, then at most 63 letters, digits and _";
  if (contains(kKnown, name, &Known::name)) return "is a name that expressions have already";
  const bool isWord = name == "true" || name == "false" || name == "null" || name == "in";
  if (isWord || cel::isReservedWord(name)) return "is a reserved word of expressions";
  return std::nullopt;
}

}  // namespace mb::functions
