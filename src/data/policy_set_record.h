// The stored form of caller sets (policy/caller_set.h): {id: name, collection, number, where, value}. `number` binds
// the set to its collection, so that it follows renames; `collection` is the name at the save, and in a backup the
// current one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::data {

inline constexpr store::CollectionNo kPolicySetCollection = 51;

inline store::CollectionRef policySetCollection(store::ProjectNo project) {
  return {project, kPolicySetCollection, 0};
}

struct PolicySetRecord {
  std::string id;
  std::string collection;
  int64_t number = 0;
  doc::Document where;
  std::string value;
  static constexpr auto shape() {
    return doc::shape<PolicySetRecord>(
        "PolicySetRecord", doc::field("id", &PolicySetRecord::id),
        doc::field("collection", &PolicySetRecord::collection), doc::field("number", &PolicySetRecord::number),
        doc::field("where", &PolicySetRecord::where), doc::field("value", &PolicySetRecord::value));
  }
  bool operator==(const PolicySetRecord&) const = default;
};

// The forms in a backup and after a restore, whose collections have other numbers (0: the collection does not exist).
doc::Document backedUpPolicySet(doc::DocumentView stored, const std::vector<store::CollectionInfo>& collections);
doc::Document restoredPolicySet(doc::DocumentView backedUp,
                                const std::map<std::string, store::CollectionNo, std::less<>>& numbers);

}  // namespace mb::data
