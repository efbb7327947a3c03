#include "integrations/integration_table.h"

#include "integrations/integration_rules.h"
#include "integrations/integrations.h"
#include "store/records.h"

namespace mb::integrations {

IntegrationPtr IntegrationTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

Task<std::shared_ptr<const void>> IntegrationTables::load(snapshot::ProjectInfo project) {
  store::Query query;
  query.collection = {project.number, kIntegrations, 0};
  query.limit = 2 * kMostIntegrations;
  query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  CO_TRY(const store::QueryResult found, co_await store_.find(std::move(query)));
  auto table = std::make_shared<IntegrationTable>();
  CO_TRY(std::vector<IntegrationRecord> records, store::fromStore<IntegrationRecord>(found.documents));
  for (IntegrationRecord& record : records) {
    auto shared = std::make_shared<const IntegrationRecord>(std::move(record));
    table->byName.emplace(shared->id, std::move(shared));
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::integrations
