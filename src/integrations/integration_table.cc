#include "integrations/integration_table.h"

#include "integrations/integrations.h"
#include "store/record_pages.h"
#include "store/records.h"

namespace mb::integrations {

IntegrationPtr IntegrationTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

Task<std::shared_ptr<const void>> IntegrationTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found,
         co_await store::allRecords(store_, {project.number, kIntegrations, 0}));
  auto table = std::make_shared<IntegrationTable>();
  CO_TRY(std::vector<IntegrationRecord> records, store::fromStore<IntegrationRecord>(found));
  for (IntegrationRecord& record : records) {
    auto shared = std::make_shared<const IntegrationRecord>(std::move(record));
    table->byName.emplace(shared->id, std::move(shared));
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::integrations
