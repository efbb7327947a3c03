// Variables: their names, and whether each is secret. Values are a project's own and never part of it.
#pragma once

#include "configuration/named_kind.h"
#include "variables/variables.h"

namespace mb::configuration {

// A variable in a document.
struct VariableEntry {
  std::string name;
  bool secret = false;
  static constexpr auto shape() {
    return doc::shape<VariableEntry>("VariableEntry", doc::field("name", &VariableEntry::name),
                                     doc::field("secret", &VariableEntry::secret));
  }
};

class VariableKind final : public NamedKind<VariableEntry> {
 public:
  explicit VariableKind(variables::Variables& variables);

 private:
  std::vector<VariableEntry> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const VariableEntry& variable) const override;
  void complete(VariableEntry& variable, const Incoming& incoming) const override;
  Task<> save(Target target, VariableEntry variable, bool exists) override;

  variables::Variables& variables_;
};

}  // namespace mb::configuration
