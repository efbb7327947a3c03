#include "data/grant.h"

#include "data/missing_collections.h"
#include "policy/trace_steps.h"

namespace mb::data {
namespace {

constexpr std::string_view kPublicSource = "public";  // of a rule

// One error for all that a caller without a token is not shown.
Error needsToken() {
  return Error(ErrorCode::unauthenticated, "this needs a bearer token");
}

Result<> checkAccess(const Access& access, const CollectionPtr* found, std::string_view collection,
                     policy::Operation operation) {
  if (access.caller.kind == policy::CallerKind::anonymous) {
    const policy::Policy* policy = found ? (*found)->policy.get() : nullptr;
    if (policy && policy->publicRule(operation) != nullptr) return {};
    if (access.trace) policy::traceRule(*access.trace, kPublicSource, nullptr);
    return fail(needsToken());
  }
  std::string unknown;
  if (!found) unknown = "data:" + std::string(collection) + ":" + std::string(operationName(operation));
  const std::string& needed = found ? (*found)->permission(operation) : unknown;
  const std::string* by = access.caller.permissions->granting(needed);
  if (access.trace) policy::tracePermission(*access.trace, needed, by);
  if (!by) return fail(ErrorCode::forbidden, "this needs a permission that you do not hold");
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  return {};
}

// The rule of the collection's policy that applies to the caller.
Result<const policy::Rule*> findRule(const Access& access, const Collection& collection, policy::Operation operation) {
  const policy::Policy* policy = collection.policy.get();
  if (!policy) return fail(ErrorCode::forbidden, "no policy of this collection allows this");
  return policy->ruleFor(access.caller, collection.name(), operation);
}

void traceRule(policy::Trace& trace, const Collection& collection, policy::Operation operation,
               const policy::Rule* rule) {
  const bool isPublic = rule && rule == collection.policy->publicRule(operation);
  policy::traceRule(trace, isPublic ? kPublicSource : policySourceName(collection.policySource), rule);
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
  if (rule->unrestricted() && !trace) return {};
  TRY(filter, rule->filterFor({caller, &sets}, collection->coercion(), trace));
  return {};
}

bool isMatched(const Grant& grant, const doc::Filter& filter, const std::optional<doc::Document>& document) {
  if (!grant.trace) return document && filter.matches(*document);
  const bool found = document.has_value();
  return policy::traceDocument(*grant.trace, filter, found ? std::optional(document->view()) : std::nullopt, found);
}

Result<Grant> Grants::find(const Access& access, std::string_view collection, policy::Operation operation) const {
  const CollectionPtr* found = table(*access.project).find(collection);
  RETURN_IF_ERROR(checkAccess(access, found, collection, operation));
  RETURN_IF_ERROR(checkPresent(**found));

  Grant grant;
  grant.project = access.project;
  grant.collection = found->get();
  grant.authority = authorityOf(access.caller, access.authority);
  grant.reader = grant.authority == Authority::admin ? policy::ReaderKind::unrestricted : readerKindOf(access.caller);
  grant.trace = access.trace;
  if (grant.authority == Authority::admin) return grant;

  Result<const policy::Rule*> rule = findRule(access, *grant.collection, operation);
  if (access.trace) traceRule(*access.trace, *grant.collection, operation, rule ? *rule : nullptr);
  if (!rule) return fail(std::move(rule).error());
  grant.rule = *rule;
  const policy::Policy& policy = *grant.collection->policy;
  grant.ruleOperation = grant.rule == policy.rule(policy::Operation::admin) ? policy::Operation::admin : operation;
  if (!grant.rule->sets().empty() &&
      (access.trace || !sets_.fromCache(table(*access.project), access.caller, grant.rule->sets(), grant.sets))) {
    grant.awaitsSets = true;
    return grant;
  }
  RETURN_IF_ERROR(grant.fill(access.caller));
  return grant;
}

Task<> Grants::complete(Grant& grant, const policy::Caller& caller, store::Deadline deadline) const {
  CO_TRY(grant.sets, co_await sets_.read(table(*grant.project), caller, grant.rule->sets(), deadline, grant.trace));
  grant.awaitsSets = false;
  co_return grant.fill(caller);
}

}  // namespace mb::data
