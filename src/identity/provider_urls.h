// Where a browser may be sent after a sign-in, and which issuers may be named. Compared as text: whatever two readers
// of a URL could see differently is refused instead of understood.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::identity {

// The origin that `text` is, with nothing behind it but perhaps one slash: "https://example.com:8443". Fails with
// validation.
Result<std::string> exactOrigin(std::string_view text);

// "https://issuer.example.com/path"; plain http for this machine's own names only. Fails with validation at /issuer.
Result<> checkIssuer(std::string_view text);

// Whether an endpoint may be called for an issuer: http(s), and not http where the issuer is https.
bool isEndpointOf(std::string_view issuer, std::string_view url);

}  // namespace mb::identity
