#include "data/grant.h"

namespace mb::data {
namespace {

// One error for all that a caller without a token is not shown.
Error needsToken() {
  return Error(ErrorCode::unauthenticated, "this needs a bearer token");
}

Result<> checkAccess(const Access& access, const CollectionPtr* found, std::string_view collection,
                     policy::Operation operation) {
  if (access.caller.kind == policy::CallerKind::anonymous) {
    const policy::Policy* policy = found ? (*found)->policy.get() : nullptr;
    if (!policy || policy->publicRule(operation) == nullptr) return fail(needsToken());
    return {};
  }
  const bool permitted =
      found ? access.caller.may((*found)->permission(operation))
            : access.caller.may("data:" + std::string(collection) + ":" + std::string(operationName(operation)));
  if (!permitted) return fail(ErrorCode::forbidden, "this needs a permission that you do not hold");
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  return {};
}

}  // namespace

const doc::FieldSet& Grant::denied() const {
  return collection->deniedReadFields(reader);
}

std::shared_ptr<const doc::FieldSet> Grant::hidden() const {
  const doc::FieldSet& fields = denied();
  if (fields.empty()) return nullptr;
  return {project, &fields};
}

Result<> Grant::fill(const policy::Caller& caller) {
  if (rule->unrestricted()) return {};
  TRY(filter, rule->filterFor({caller, &sets}, collection->coercion()));
  return {};
}

Result<Grant> Grants::find(const Access& access, std::string_view collection, policy::Operation operation) const {
  const CollectionPtr* found = table(*access.project).find(collection);
  RETURN_IF_ERROR(checkAccess(access, found, collection, operation));

  Grant grant;
  grant.project = access.project;
  grant.collection = found->get();
  grant.authority = authorityOf(access.caller, access.authority);
  grant.reader = grant.authority == Authority::admin ? policy::ReaderKind::unrestricted : readerKindOf(access.caller);
  if (grant.authority == Authority::admin) return grant;

  const policy::Policy* policy = grant.collection->policy.get();
  if (!policy) return fail(ErrorCode::forbidden, "no policy of this collection allows this");
  TRY(grant.rule, policy->ruleFor(access.caller, collection, operation));
  grant.ruleOperation = grant.rule == policy->rule(policy::Operation::admin) ? policy::Operation::admin : operation;
  if (!grant.rule->sets().empty() &&
      !sets_.fromCache(table(*access.project), access.caller, grant.rule->sets(), grant.sets)) {
    grant.awaitsSets = true;
    return grant;
  }
  RETURN_IF_ERROR(grant.fill(access.caller));
  return grant;
}

Task<> Grants::complete(Grant& grant, const policy::Caller& caller, store::Deadline deadline) const {
  CO_TRY(grant.sets, co_await sets_.read(table(*grant.project), caller, grant.rule->sets(), deadline));
  grant.awaitsSets = false;
  co_return grant.fill(caller);
}

}  // namespace mb::data
