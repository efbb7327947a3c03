// What encodings of an answer the client takes (RFC 9110, 12.5.3).
#pragma once

#include "http/message.h"

namespace mb::http {

bool acceptsGzip(const Request& request);

}  // namespace mb::http
