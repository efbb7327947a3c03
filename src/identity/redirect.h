// Validation of the URL that a browser is redirected to after a sign-in, with tokens in its fragment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::identity {

// The origin ("https://app.example:8443") of an absolute http or https URL. Strict, so that no browser reads another
// origin: fails with invalidParam for user info, backslashes, blanks, escapes or upper case in the host, a port without
// a number, a fragment, or more than 2048 bytes.
Result<std::string> redirectOrigin(std::string_view url);

// Fails with invalidParam unless the URL's origin is in `allowed`, byte for byte.
Result<> checkRedirect(std::string_view url, const std::vector<std::string>& allowed);

}  // namespace mb::identity
