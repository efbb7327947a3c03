// Conditional requests (RFC 9110, 13).
#pragma once

#include <string_view>

#include "http/message.h"

namespace mb::http {

// Whether `if-none-match` names the entity tag, so that a GET gets 304. Weak comparison: "W/" is ignored.
bool isNotModified(const Request& request, std::string_view etag);

}  // namespace mb::http
