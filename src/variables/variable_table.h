// The module's slot of the project snapshot: the variables by name. Secret values stay sealed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "document/shape.h"
#include "snapshot/snapshot.h"

namespace mb::variables {

// Number 140 of the system collections belongs to this module.
inline constexpr store::CollectionNo kVariables = 140;

struct VariableRecord {
  std::string id;  // the name
  bool secret = false;
  std::optional<std::string> value;  // of a plain one; absent if not set
  std::string sealed;                // of a secret one: its value under sealContext(), base64; "" if not set
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<VariableRecord>(
        "VariableRecord", doc::field("id", &VariableRecord::id), doc::field("secret", &VariableRecord::secret),
        doc::field("value", &VariableRecord::value), doc::field("sealed", &VariableRecord::sealed),
        doc::field("updatedAt", &VariableRecord::updatedAt));
  }
  bool hasValue() const { return value.has_value() || !sealed.empty(); }
};

struct VariableTable {
  std::map<std::string, VariableRecord, std::less<>> byName;
  doc::Document plain;  // the plain ones that have a value: ctx.variables of functions

  const VariableRecord* find(std::string_view name) const;  // null for an unknown name
};

class VariableTables final : public snapshot::SlotSource {
 public:
  explicit VariableTables(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

// The context that seals a variable's value.
std::string sealContext(std::string_view project, std::string_view name);

}  // namespace mb::variables
