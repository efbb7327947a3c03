// Content codings that the client accepts for a response (RFC 9110, 12.5.3).
#pragma once

#include "http/message.h"

namespace mb::http {

bool acceptsGzip(const Request& request);

}  // namespace mb::http
