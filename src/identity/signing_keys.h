// The deployment's signing keys, sealed in the control project. Private to identity/.
#pragma once

#include "identity/identity_deps.h"
#include "identity/tokens.h"

namespace mb::identity {

// Adds every stored key to `tokens`, oldest first; makes and stores the first one where there is none. Of servers that
// do so at the same time all end with the same key.
Task<> loadSigningKeys(const IdentityDeps& deps, Tokens& tokens);

}  // namespace mb::identity
