// A part of a write callback: the change of a user, and of other documents of the same write.
#pragma once

#include <functional>

#include "identity/user_types.h"
#include "store/write.h"

namespace mb::identity {

// Runs in each run of the callback, with the record of that run: changes the record in place, which the callback
// stores, and its own documents through `changes`. Must not block. Its error fails the write.
using UserChange = std::function<Result<>(UserRecord& user, const store::PreImages& before, store::Changes& changes)>;

// Adds its documents, which do not include the user's, to the write, and returns its part of the callback. Called once
// for each prepared write.
using UserChangeSource = std::function<UserChange(store::Write& write)>;

}  // namespace mb::identity
