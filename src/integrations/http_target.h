// The address of an http integration's call: always below the integration's base address.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "document/bson.h"

namespace mb::integrations {

// "" for a valid base address, else the problem: http or https, a host, optionally a path; no user info, query,
// fragment, or dot segments.
std::string baseUrlProblem(std::string_view baseUrl);

// `path` cannot change other parts of the address: it may hold anything but control characters, backslashes, "#",
// segments that are "." or ".." (in any encoding), a second slash at its beginning or a scheme. After a "?" it is a
// query, to which `query` ({name: text, number, boolean or a list of these}; null is omitted) is added. Fails with
// validation, details at /args/path and /args/query.
Result<std::string> addressBelow(std::string_view baseUrl, std::string_view path, doc::DocumentView query);

}  // namespace mb::integrations
