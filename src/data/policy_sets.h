// PolicySets administers the caller sets of projects (policy/caller_set.h). The routes check permissions. Every change
// is audited in its own commit, and applies to every request that begins after the call returned.
#pragma once

#include <string>
#include <vector>

#include "data/collections.h"

namespace mb::data {

// A set on the wire and in the configuration.
struct PolicySet {
  std::string name;
  std::string collection;
  doc::Document where;
  std::string value;
  static constexpr auto shape() {
    return doc::shape<PolicySet>("PolicySet", doc::field("name", &PolicySet::name),
                                 doc::field("collection", &PolicySet::collection),
                                 doc::field("where", &PolicySet::where), doc::field("value", &PolicySet::value));
  }
};

struct NewPolicySet {
  std::string collection;
  doc::Document where;
  std::string value;
  static constexpr auto shape() {
    return doc::shape<NewPolicySet>("NewPolicySet", doc::field("collection", &NewPolicySet::collection),
                                    doc::field("where", &NewPolicySet::where),
                                    doc::field("value", &NewPolicySet::value));
  }
};

// A part of a project that names sets. Implemented by modules above.
class SetUser {
 public:
  virtual ~SetUser() = default;
  // What names the set, for messages: "the bucket photos". Any core.
  virtual std::vector<std::string> usersOf(const snapshot::ProjectSnapshot& project, std::string_view set) const = 0;
};

// The names of the collections whose policies name the set; "*" for the default policy.
std::vector<std::string> usersOf(const CollectionTable& table, std::string_view set);
// Fails with validation where a set of this name and definition could not be saved: `schema` and `indexes` are those
// that its collection has, or will have.
Result<> checkPolicySet(const PolicySet& set, const doc::Schema* schema, const std::vector<store::IndexSpec>& indexes);
// The same of name and definition alone.
Result<policy::CallerSet> compilePolicySet(const PolicySet& set, const doc::Schema* schema);
// The indexes of the collection, those that are not ready included.
std::vector<store::IndexSpec> indexesOf(const store::CollectionInfo& collection);

class PolicySets {
 public:
  PolicySets(const DataDeps& deps, snapshot::SlotKey<CollectionTable> collections) : deps_(deps), slot_(collections) {}

  std::vector<PolicySet> list(const snapshot::ProjectSnapshot& project) const;  // by name
  // Creates or replaces. Fails with validation (the definition, an unknown collection, no index that begins with the
  // path that equals the caller's id), unavailable where that index is not ready, conflict past store::kMaxPolicySets.
  Task<> set(AdminAccess access, PolicySet set);
  // Fails with notFound; conflict while a policy or a SetUser names it.
  Task<> remove(AdminAccess access, std::string name);
  // Only at start-up; `user` outlives the object.
  void addUser(const SetUser& user) { users_.push_back(&user); }

 private:
  const CollectionTable& table(const snapshot::ProjectSnapshot& project) const { return project.get(slot_); }
  Task<> refresh(AdminAccess& access) const;
  Task<> save(const AdminAccess& access, std::string action, std::string name, std::optional<doc::Document> record);

  const DataDeps& deps_;
  snapshot::SlotKey<CollectionTable> slot_;
  std::vector<const SetUser*> users_;
};

}  // namespace mb::data
