// The callers of sockets without a token, who see what public rules show (docs/policies.md, "Public rules"). Private to
// this module.
#pragma once

#include "realtime/realtime.h"

namespace mb::realtime {

// The caller of a new socket; `project` as for Realtime::accept(). Fails with unauthenticated where there is no such
// project, where it is suspended, or where no collection of it has a public read rule.
Task<identity::Identified> identifyAnonymous(const RealtimeDeps& deps, std::optional<std::string> project);
// The caller as it is now. Fails with notFound for a deleted project, and projectSuspended.
Task<identity::Identified> identifyAnonymousAgain(const RealtimeDeps& deps, store::ProjectNo project);

}  // namespace mb::realtime
