// Builds callers from records and the project's snapshot, for credentials (token_authenticator.h) and for descriptions
// (described_callers.h), so that both have the same role, permissions and claims. Private to identity/.
#pragma once

#include "identity/tables.h"
#include "identity/tokens.h"
#include "identity/user_types.h"
#include "policy/caller.h"

namespace mb::identity {

// The claims that the server sets in each end user's token: iss, aud, sub, sid, pid, role, iat, exp. Those that `given`
// has are left out.
void appendTokenClaims(doc::BsonWriter& out, const AccessToken& token, std::string_view role, std::string_view issuer,
                       doc::DocumentView given = {});

// `token`: the end user's, as far as its claims go.
policy::Caller endUserCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots,
                             const UserRecord& user, const AccessToken& token, std::string_view issuer);
// An end user with this role, without claims.
policy::Caller endUserCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots, std::string id,
                             std::string role);
policy::Caller memberCaller(const snapshot::ProjectSnapshot& project, const IdentitySlots& slots, std::string userId,
                            std::string role);
policy::Caller keyCaller(const snapshot::ProjectSnapshot& project, const ApiKeyTable::Key& key);
policy::Caller anonymousCaller(const snapshot::ProjectSnapshot& project);

}  // namespace mb::identity
