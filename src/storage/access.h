// The caller, the project and the deadline of a call.
#pragma once

#include "identity/project_access.h"

namespace mb::storage {

using Access = identity::ProjectAccess;

}  // namespace mb::storage
