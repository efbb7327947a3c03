// Where a call of an http integration goes: below the address that the integration has, whatever the path says.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "document/bson.h"

namespace mb::integrations {

// "" or what is wrong with it: http or https, a host, maybe a path; no user info, no query, no fragment, no dots that
// lead upwards.
std::string baseUrlProblem(std::string_view baseUrl);

// What is in `path` stays in the path: it may hold anything but control characters, backslashes, "#", segments that are
// "." or ".." (in any encoding), a second slash at its beginning or a scheme. Behind a "?" it is a query, to which
// `query` ({name: text, number, boolean or a list of these}; null is left out) is added. Fails with validation, details
// at /args/path and /args/query.
Result<std::string> addressBelow(std::string_view baseUrl, std::string_view path, doc::DocumentView query);

}  // namespace mb::integrations
