// Integrations as part of a project's shape: provider, config, tests and whether one is enabled. Secrets stay where
// they are: a new one arrives without.
#pragma once

#include "configuration/resource_kind.h"
#include "integrations/integration_service.h"

namespace mb::integrations {

class IntegrationKind final : public configuration::ResourceKind {
 public:
  explicit IntegrationKind(Integrations& integrations) : integrations_(integrations) {}

  std::string_view section() const override { return "integrations"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& standing,
                                                 configuration::Problems& problems) override;
  std::vector<std::string> permissionsFor(const configuration::Change& change) const override;
  Task<> apply(configuration::Target target, std::vector<configuration::Change> changes) override;

 private:
  std::optional<IntegrationShape> shapeAt(doc::ValueView value, const std::string& pointer,
                                          configuration::Problems& problems) const;
  Integrations& integrations_;
};

}  // namespace mb::integrations
