#include "data/policy_set_record.h"

#include <algorithm>

namespace mb::data {
namespace {

// The record with another collection; a document that is not a record stays as it is.
template <class F>
doc::Document withCollection(doc::DocumentView stored, F change) {
  auto record = doc::decode<PolicySetRecord>(stored, doc::UnknownFields::ignore);
  if (!record) return doc::Document(stored);
  change(*record);
  return doc::encode(*record);
}

}  // namespace

doc::Document backedUpPolicySet(doc::DocumentView stored, const std::vector<store::CollectionInfo>& collections) {
  return withCollection(stored, [&](PolicySetRecord& record) {
    const auto found = std::ranges::find_if(
        collections, [&](const store::CollectionInfo& each) { return each.number == record.number; });
    if (found != collections.end()) record.collection = found->name;
  });
}

doc::Document restoredPolicySet(doc::DocumentView backedUp,
                                const std::map<std::string, store::CollectionNo, std::less<>>& numbers) {
  return withCollection(backedUp, [&](PolicySetRecord& record) {
    const auto found = numbers.find(record.collection);
    record.number = found == numbers.end() ? 0 : found->second;
  });
}

}  // namespace mb::data
