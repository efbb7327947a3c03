// Finds rules of a schema that would reveal fields which a policy hides: whether an update is accepted would depend on
// a hidden value together with a value that the caller reads or chooses.
#pragma once

#include "document/bson.h"
#include "policy/policy.h"

namespace mb::data {

// The document that the details of an error point into.
enum class RevealedIn { schema, policy };

// Fails with validation if `schema` has such a rule; message and details name its position in the schema and the denied
// field. uniqueItems, and enum or const of objects and lists, must not compare values that are hidden in part. anyOf,
// oneOf and not must not join a hidden field with another one that an update can change. Fails with validation too if
// the check would take more than kCoreWork. REQUIRES: `schema` (as saved) compiles.
Result<> refuseRevealingRules(doc::DocumentView schema, const policy::Policy& policy, RevealedIn details);

}  // namespace mb::data
