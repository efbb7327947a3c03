#include "data/data.h"

#include "data/default_policy.h"
#include "store/configuration_limits.h"

namespace mb::data {

// The limits of a project's configuration identify its parts by these numbers.
static_assert(store::isConfigurationPart(kPolicyCollection, "default policy"));
static_assert(store::isConfigurationPart(kPolicySetCollection, "policy sets"));

std::vector<store::SystemCollection> systemCollections() {
  std::vector<store::SystemCollection> all = {
      {kPolicyCollection, "__policies", {}}, {kPolicySetCollection, "__policySets", {}}, referenceJobCollection()};
  for (store::SystemCollection& each : vectorCountCollections()) all.push_back(std::move(each));
  return all;
}

std::unique_ptr<Data> Data::build(DataDeps deps, ProjectNumbers projects) {
  return std::unique_ptr<Data>(new Data(deps, std::move(projects)));
}

Data::Data(DataDeps deps, ProjectNumbers projects)
    : deps_(deps),
      source_(deps_.store, tables_),
      slot_(deps_.snapshots.addSlot<CollectionTable>(source_)),
      callerSets_(deps_.store, deps_.cores),
      grants_(slot_, callerSets_),
      documents_(deps_, pool_, grants_),
      serviceDocuments_(deps_),
      collections_(deps_, pool_, slot_),
      policySets_(deps_, slot_),
      policyTrials_(deps_, pool_, grants_, slot_),
      expiry_(deps_, slot_, std::move(projects)),
      referenceJobs_(deps_, slot_),
      vectorCounts_(deps_, slot_),
      vectorQuota_(deps_.store, deps_.plan) {}

}  // namespace mb::data
