// Who is behind a change that a run made, as the change log names it: actor kind "function", id "fn_…/<depth>". So
// the depth of what follows is known wherever the change is.
#pragma once

#include <string_view>

#include "store/store.h"

namespace mb::functions {

inline constexpr std::string_view kActorKind = "function";

store::Actor actorOf(std::string_view functionId, int depth);
// How many runs stand above what `actor` did; 0 for everybody else.
int depthOf(const store::Actor& actor);

}  // namespace mb::functions
