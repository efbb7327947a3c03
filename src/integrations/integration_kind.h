// Integrations in a project's configuration: provider, config, tests and whether one is enabled. Secrets are not
// included: a new one is created without.
#pragma once

#include "configuration/named_kind.h"
#include "integrations/integration_service.h"

namespace mb::integrations {

class IntegrationKind final : public configuration::NamedKind<IntegrationShape> {
 public:
  explicit IntegrationKind(Integrations& integrations);

  // Sending stored secrets to the value of a variable needs all permissions.
  Result<> mayApply(const configuration::Target& target, const configuration::Change& change) const override;

 private:
  std::vector<IntegrationShape> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const IntegrationShape& shape) const override;
  void complete(IntegrationShape& shape, const Incoming& incoming) const override;
  IntegrationShape canonical(IntegrationShape shape) const override;
  Task<> save(configuration::Target target, IntegrationShape shape, bool exists) override;

  Integrations& integrations_;
};

}  // namespace mb::integrations
