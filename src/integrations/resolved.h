// Integrations with the values of their variables. Private to the module.
#pragma once

#include "integrations/integration_table.h"
#include "integrations/provider.h"
#include "variables/values.h"

namespace mb::integrations {

struct ResolvedConfig {
  doc::Document config;              // a text that names a variable without a value stays
  std::vector<std::string> pending;  // the pointers of such texts: "/config/baseUrl"
  Problems problems;                 // secret variables, texts that are too long
};

// Where the catalogue has a number or a boolean, a text that names variables becomes one.
ResolvedConfig resolvedConfig(const Provider& provider, doc::DocumentView config, const variables::Values& values);
// Adds the problems of a config with its values, but not those of pending fields.
void checkResolved(const Provider& provider, const ResolvedConfig& resolved, Problems& problems);

// A text of a config that names variables.
struct ConfigReference {
  std::string pointer;    // "/config/headers/x-api"
  std::string_view text;  // lives as long as the config
};
std::vector<ConfigReference> referencesIn(doc::DocumentView config);
// The names in the texts of a config, each once.
std::vector<std::string> variablesIn(doc::DocumentView config);

// Adds the problems of given secrets beyond readSecrets(): as the provider checks them, and of those that name
// variables with their values. A secret that names a variable without a value can only be checked at its use.
void checkSecrets(const Provider& provider, const SecretEdit& given, const variables::Values& values,
                  Problems& problems);

// For a call. Both fail with conflict, naming the variable without a value or the field that is not valid with it.
Result<IntegrationPtr> withValues(const Provider& provider, IntegrationPtr integration,
                                  const variables::Values& values);
Result<Secrets> withValues(const Provider& provider, const IntegrationRecord& integration, Secrets secrets,
                           const variables::Values& values);

}  // namespace mb::integrations
