// What a stored test makes of the answer to its call.
#pragma once

#include "integrations/integration_types.h"

namespace mb::integrations {

// `expect` is what the result is to hold, or {result?} and {error?}: the code of a failure ("UPSTREAM_FAILED"). What
// was missed, a line each; empty where nothing was.
std::vector<std::string> failuresOf(const doc::Value& expect, const Result<doc::Value>& answer);

}  // namespace mb::integrations
