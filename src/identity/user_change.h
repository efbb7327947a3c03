// A part of a write callback: what becomes of a user, and of other documents of the same write.
#pragma once

#include <functional>

#include "identity/user_types.h"
#include "store/write.h"

namespace mb::identity {

// Runs in each run of the callback, with the record as that run has it: changes the record in place, which the callback
// stores, and its own documents by `changes`. Must not wait. Its error is the write's.
using UserChange = std::function<Result<>(UserRecord& user, const store::PreImages& before, store::Changes& changes)>;

// Adds its documents to the write, none of which is the user's, and returns the part of the callback about them. Once
// for each write that is prepared.
using UserChangeSource = std::function<UserChange(store::Write& write)>;

}  // namespace mb::identity
