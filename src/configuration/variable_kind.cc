#include "configuration/variable_kind.h"

#include "store/configuration_limits.h"

namespace mb::configuration {

VariableKind::VariableKind(variables::Variables& variables)
    : NamedKind({.section = "variables",
                 .permission = "variables:manage",
                 .name = &VariableEntry::name,
                 .fold = UniqueNameSet::exact,
                 .limit = store::kMaxVariables,
                 .plural = "variables"}),
      variables_(variables) {}

std::vector<VariableEntry> VariableKind::stored(const snapshot::ProjectSnapshot& project) const {
  std::vector<VariableEntry> all;
  for (const auto& [name, record] : variables_.table(project).byName) all.push_back({name, record.secret});
  return all;
}

std::vector<ErrorDetail> VariableKind::problemsIn(const VariableEntry& variable) const {
  if (variables::isVariableName(variable.name)) return {};
  return {{"/name", std::string(variables::kVariableNameRule)}};
}

void VariableKind::complete(VariableEntry& variable, const Incoming& incoming) const {
  if (!incoming.current || incoming.current->secret == variable.secret) return;
  const std::string pointer = incoming.pointer + "/secret";
  if (!variable.secret) {
    return incoming.problems.add(pointer, "is true in the project: an import never makes a secret variable plain");
  }
  for (const ErrorDetail& each : variables_.problemsIfSecret(*incoming.source.project, variable.name)) {
    incoming.problems.add(pointer, fmt::format("{} {}", each.path, each.message));
  }
}

Task<> VariableKind::save(Target target, VariableEntry variable, bool) {
  variables::VariableBody body;
  body.secret = variable.secret;
  co_return co_await variables_.put({target.caller, target.project, target.deadline}, std::move(variable.name),
                                    std::move(body));
}

}  // namespace mb::configuration
