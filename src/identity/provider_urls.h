// Validation of redirect origins and issuers. URLs are compared as text, so one that two parsers could read differently
// is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::identity {

// The origin in `text`, which may end in one slash and has nothing else after the port: "https://example.com:8443".
// Fails with validation.
Result<std::string> exactOrigin(std::string_view text);

// Checks an issuer such as "https://issuer.example.com/path"; plain http only for names of this machine. Fails with
// validation at /issuer.
Result<> checkIssuer(std::string_view text);

// Whether an endpoint may be called for an issuer: http(s), and not http where the issuer is https.
bool isEndpointOf(std::string_view issuer, std::string_view url);

}  // namespace mb::identity
