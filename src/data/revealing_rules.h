// Rules of a schema that would reveal fields which a policy hides: whether an update is accepted would depend on a
// hidden value together with something that the caller sees or chooses.
#pragma once

#include "document/bson.h"
#include "policy/policy.h"

namespace mb::data {

// Where the details of an error point.
enum class RevealedIn { schema, policy };

// Fails with validation where `schema` (as saved, compiled before) has such a rule; message and details name the place
// in the schema and the denied field. uniqueItems, and enum or const of objects and lists, may not compare values that
// are hidden in part. anyOf, oneOf and not may not join a hidden field with another one that an update can change.
// Fails with validation too where the check would take more than kCoreWork.
Result<> refuseRevealingRules(doc::DocumentView schema, const policy::Policy& policy, RevealedIn details);

}  // namespace mb::data
