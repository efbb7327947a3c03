#include "variables/variable_table.h"

#include "store/record_pages.h"
#include "store/records.h"

namespace mb::variables {

const VariableRecord* VariableTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &found->second;
}

Task<std::shared_ptr<const void>> VariableTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found, co_await store::allRecords(store_, {project.number, kVariables, 0}));
  auto table = std::make_shared<VariableTable>();
  CO_TRY(std::vector<VariableRecord> records, store::fromStore<VariableRecord>(found));
  for (VariableRecord& record : records) {
    std::string name = record.id;
    table->byName.emplace(std::move(name), std::move(record));
  }
  doc::BsonWriter plain;
  for (const auto& [name, record] : table->byName) {
    if (record.value) plain.appendString(name, *record.value);
  }
  table->plain = plain.finish();
  co_return std::shared_ptr<const void>(std::move(table));
}

std::string sealContext(std::string_view project, std::string_view name) {
  return fmt::format("{}/variable/{}", project, name);
}

}  // namespace mb::variables
