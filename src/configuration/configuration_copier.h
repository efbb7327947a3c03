// Copies configuration into new environments, and promotes it between environments.
#pragma once

#include "configuration/configuration.h"
#include "projects/configuration_copier.h"

namespace mb::configuration {

class ConfigurationCopier final : public projects::ConfigurationCopier {
 public:
  explicit ConfigurationCopier(Configuration& configuration) : configuration_(configuration) {}
  Task<std::vector<std::string>> clone(Side from, Side to, store::Deadline deadline) override;
  Task<doc::Document> promote(Side from, Side to, projects::ImportMode mode, store::Deadline deadline) override;

 private:
  Configuration& configuration_;
};

}  // namespace mb::configuration
