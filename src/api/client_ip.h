// Whose request it is, by address.
#pragma once

#include <string>

#include "api/api_settings.h"
#include "http/message.h"

namespace mb::api {

struct ClientAddress {
  std::string ip;
  // x-forwarded-for holds more than trusted proxies can have made of it: entries before the client's own, or one that
  // is no address. They count for nothing, but a proxy passes on what clients write.
  bool passedOn = false;
};

// The connection's peer; where that is a trusted proxy, the right-most address of x-forwarded-for that is none. An
// entry that is no address ends the walk at the last one that was.
ClientAddress clientAddress(const http::Request& request, const TrustedProxies& trusted);

}  // namespace mb::api
