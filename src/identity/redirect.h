// Where a browser may be sent with the outcome of signing in. Source: contract 4.2; decisions 3, 7 ("Redirects").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::identity {

// The origin ("https://app.example:8443") of an absolute http or https URL. Strict, so that no browser reads it as
// another one: fails with invalidParam for user info, backslashes, blanks, escapes or upper case in the host, a port
// without a number, a fragment, or more than 2048 bytes.
Result<std::string> redirectOrigin(std::string_view url);

// Whether the URL's origin is among `allowed`, letter by letter. Fails with invalidParam.
Result<> checkRedirect(std::string_view url, const std::vector<std::string>& allowed);

}  // namespace mb::identity
