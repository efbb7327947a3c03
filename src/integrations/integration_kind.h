// Integrations in a project's configuration: provider, config, tests and whether one is enabled. Secrets are not
// included: a new one is created without.
#pragma once

#include "configuration/listed_kind.h"
#include "integrations/integration_service.h"

namespace mb::integrations {

class IntegrationKind final : public configuration::ListedKind {
 public:
  explicit IntegrationKind(Integrations& integrations) : integrations_(integrations) {}

  std::string_view section() const override { return "integrations"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& current,
                                                 configuration::Problems& problems) override;

 private:
  policy::RequiredPermission permission() const override { return "integrations:manage"; }
  Task<> applyOne(configuration::Target target, configuration::Change change) override;
  std::optional<IntegrationShape> shapeAt(doc::ValueView value, const std::string& pointer,
                                          configuration::Problems& problems) const;
  Integrations& integrations_;
};

}  // namespace mb::integrations
