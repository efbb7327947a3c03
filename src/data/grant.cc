#include "data/grant.h"

namespace mb::data {

const doc::FieldSet& Grant::denied() const {
  static const doc::FieldSet nothing;
  return authority == Authority::admin ? nothing : collection->deniedReadFields();
}

std::shared_ptr<const doc::FieldSet> Grant::hidden() const {
  const doc::FieldSet& fields = denied();
  if (fields.empty()) return nullptr;
  return {project, &fields};
}

Result<Grant> grantFor(const policy::Caller& caller, const snapshot::SnapshotPtr& project,
                       snapshot::SlotKey<CollectionTable> slot, std::string_view collection,
                       policy::Operation operation, Authority authority) {
  const CollectionPtr* found = project->get(slot).find(collection);
  const bool permitted =
      found ? caller.may((*found)->permission(operation))
            : caller.may("data:" + std::string(collection) + ":" + std::string(policy::operationName(operation)));
  if (!permitted) return fail(ErrorCode::forbidden, "this needs a permission that you do not hold");
  if (!found) return fail(ErrorCode::notFound, "no such collection");

  Grant grant;
  grant.project = project;
  grant.collection = found->get();
  grant.authority = authority;
  if (authority == Authority::admin) return grant;

  const policy::Policy* policy = grant.collection->policy.get();
  if (!policy) return fail(ErrorCode::forbidden, "no policy of this collection allows this");
  TRY(grant.rule, policy->ruleFor(caller, collection, operation));
  grant.ruleOperation = grant.rule == policy->rule(policy::Operation::admin) ? policy::Operation::admin : operation;
  if (!grant.rule->unrestricted()) {
    TRY(grant.filter, grant.rule->filterFor(caller, grant.collection->coercion()));
  }
  return grant;
}

}  // namespace mb::data
