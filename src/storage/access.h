// Who does it, in which project, and until when.
#pragma once

#include "identity/project_access.h"

namespace mb::storage {

using Access = identity::ProjectAccess;

}  // namespace mb::storage
