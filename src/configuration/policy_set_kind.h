// The sets that policies name (data/policy_sets.h).
#pragma once

#include "configuration/named_kind.h"
#include "data/policy_sets.h"

namespace mb::configuration {

// The names in the section of a document; unchecked.
std::vector<std::string> policySetNames(doc::DocumentView document);

class PolicySetKind final : public NamedKind<data::PolicySet> {
 public:
  PolicySetKind(data::PolicySets& sets, snapshot::SlotKey<data::CollectionTable> slot);
  Result<> draft(ProjectDraft& draft, const std::vector<Change>& changes) const override;

 private:
  std::vector<data::PolicySet> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const data::PolicySet& set) const override;
  // Checks the set against its collection as it is after the import.
  void complete(data::PolicySet& set, const Incoming& incoming) const override;
  data::PolicySet canonical(data::PolicySet set) const override;
  Task<> save(Target target, data::PolicySet set, bool exists) override;

  data::PolicySets& sets_;
  const snapshot::SlotKey<data::CollectionTable> slot_;
};

}  // namespace mb::configuration
