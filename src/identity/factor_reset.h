// Taking a second factor away without a code, as admins and operators do. Private to identity/.
#pragma once

#include "identity/realm.h"
#include "identity/user_types.h"
#include "store/store.h"

namespace mb::identity {

// The user, their factor, and an enrollment under way.
std::vector<store::WriteTarget> factorTargets(const Realm& realm, const UserId& user);

// In the judge, with what stands at those targets: the changes, in their order. Fails with notFound.
Result<std::vector<store::Change>> withoutFactor(std::span<const std::optional<doc::Document>> before, Timestamp now);

}  // namespace mb::identity
