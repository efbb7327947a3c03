// Compares the result of a stored test's call with its expectation.
#pragma once

#include "integrations/integration_types.h"

namespace mb::integrations {

// `expect` is a value that the result must hold, or {result?} and {error?}: an error code ("UPSTREAM_FAILED"). Returns
// the mismatches, a line each; empty on success.
std::vector<std::string> failuresOf(const doc::Value& expect, const Result<doc::Value>& reply);

}  // namespace mb::integrations
