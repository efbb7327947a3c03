#include "data/write_fields.h"

namespace mb::data {
namespace {

doc::FieldSet fieldList(doc::DocumentView rule, std::string_view key) {
  std::vector<std::string> paths;
  const auto list = rule.find(key);
  if (list && list->type() == doc::BsonType::array) {
    for (const doc::Element& each : list->asDocument()) {
      if (each.value.type() == doc::BsonType::string) paths.emplace_back(each.value.asString());
    }
  }
  return doc::FieldSet(std::move(paths));
}

}  // namespace

std::optional<Collection::WriteFields> writeFieldsOf(const policy::Policy& policy, policy::Operation operation) {
  const auto rule = policy.source().view().find(policy::operationName(operation));
  if (!rule || rule->type() != doc::BsonType::document) return std::nullopt;
  return Collection::WriteFields{fieldList(rule->asDocument(), "immutableFields"),
                                 fieldList(rule->asDocument(), "allowedWriteFields"),
                                 rule->asDocument().find("allowedWriteFields").has_value()};
}

}  // namespace mb::data
