// Whose request it is, by address.
#pragma once

#include <string>

#include "api/api_settings.h"
#include "http/message.h"

namespace mb::api {

// The connection's peer; where that is a trusted proxy, the right-most address of x-forwarded-for that is none. An
// entry that is no address ends the walk at the last one that was.
std::string clientIp(const http::Request& request, const TrustedProxies& trusted);

}  // namespace mb::api
