// Content codings of responses (RFC 9110, 12.5.3).
#pragma once

#include "http/message.h"

namespace mb::http {

bool acceptsGzip(const Request& request);

// The content of gzip data (RFC 1952) of this program. nullopt if memory is short, or the data is not whole gzip.
std::optional<std::string> gunzip(std::string_view gzip);

}  // namespace mb::http
