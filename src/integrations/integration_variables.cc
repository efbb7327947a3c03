// Variables in the integrations of a project.

#include <algorithm>

#include "integrations/integration_service.h"
#include "integrations/resolved.h"

namespace mb::integrations {

namespace {

bool isNamed(const std::optional<std::vector<std::string>>& names, std::string_view name) {
  return names && std::ranges::find(*names, name) != names->end();
}

}  // namespace

std::vector<ErrorDetail> Integrations::literalProblems(const Provider& provider, const IntegrationShape& shape) const {
  Problems problems;
  checkConfig(provider, shape.config, deps_.variables.noValues(), problems);
  return problems;
}

std::vector<ErrorDetail> Integrations::variableProblems(const snapshot::ProjectSnapshot& project,
                                                        doc::DocumentView document, const IntegrationShape& shape,
                                                        bool allowMissing) const {
  Problems problems;
  const std::vector<ConfigReference> references = referencesIn(shape.config);
  const Provider* found = provider(shape.provider);
  if (references.empty() || !found) return problems;
  const variables::Values values = deps_.variables.valuesAfter(project, document);
  checkConfig(*found, shape.config, values, problems);
  for (const ConfigReference& each : references) {
    const std::vector<std::string> missing = values.resolve(each.text, variables::FieldKind::plain).missing;
    if (!allowMissing && !missing.empty()) problems.push_back({each.pointer, variables::missingText(missing)});
  }
  return problems;
}

std::vector<variables::VariableUse> Integrations::uses(const snapshot::ProjectSnapshot& project) const {
  std::vector<variables::VariableUse> uses;
  for (const auto& [name, record] : project.get(slot_).byName) {
    const std::string integration = "integrations/" + name;
    if (record->variables) {
      for (const ConfigReference& each : referencesIn(record->config)) {
        uses.push_back({integration + each.pointer, variables::namesIn(each.text)});
      }
      uses.push_back({integration + "/config", variables::namesIn(providerOf(*record).destination(record->config)),
                      !record->secretNames.empty()});
    }
    if (record->secretVariables) uses.push_back({integration + "/secrets", *record->secretVariables});
  }
  return uses;
}

variables::Problems Integrations::problemsWith(const snapshot::ProjectSnapshot& project,
                                               const variables::Values& values, std::string_view name) const {
  variables::Problems all;
  for (const auto& [integration, record] : project.get(slot_).byName) {
    const Provider& provider = providerOf(*record);
    Problems problems;
    if (isNamed(record->variables, name)) checkConfig(provider, record->config, values, problems);
    if (isNamed(record->secretVariables, name)) {
      // Secrets that cannot be opened any more have no problem but that one.
      const Secrets secrets = box_.open(project.info().id.str(), *record).value_or(Secrets());
      SecretEdit given;
      for (const auto& [secret, text] : secrets.all()) {
        if (variables::holdsReference(text.reveal())) given.texts.emplace(secret, text);
      }
      checkSecrets(provider, given, values, problems);
    }
    for (ErrorDetail& each : problems) {
      all.push_back({fmt::format("integrations/{}{}", integration, each.path), std::move(each.message)});
    }
  }
  return all;
}

}  // namespace mb::integrations
