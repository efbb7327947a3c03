// The actor of a change made by a run, in the change log: kind "function", id "fn_…/<depth>". So the depth of the runs
// that the change triggers is known wherever the change is read.
#pragma once

#include <string_view>

#include "store/store.h"

namespace mb::functions {

store::Actor actorOf(std::string_view functionId, int depth);
// The depth of the run that is `actor`; 0 for any other actor.
int depthOf(const store::Actor& actor);

}  // namespace mb::functions
