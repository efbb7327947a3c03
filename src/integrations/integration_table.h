// The module's slot of the project snapshot: integrations by name.
#pragma once

#include <map>
#include <memory>

#include "integrations/integration_types.h"
#include "snapshot/snapshot.h"

namespace mb::integrations {

using IntegrationPtr = std::shared_ptr<const IntegrationRecord>;

struct IntegrationTable {
  std::map<std::string, IntegrationPtr, std::less<>> byName;

  IntegrationPtr find(std::string_view name) const;  // null for an unknown name
};

class IntegrationTables final : public snapshot::SlotSource {
 public:
  explicit IntegrationTables(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

}  // namespace mb::integrations
