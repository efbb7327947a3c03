// The client address of a request, directly or through trusted proxies.
#pragma once

#include <string>

#include "api/api_settings.h"
#include "http/message.h"

namespace mb::api {

struct ClientAddress {
  std::string ip;
  // x-forwarded-for holds entries that no trusted proxy wrote: some before the client's own, or one that is not an
  // address. They are ignored, but show that a proxy forwards what clients send.
  bool hasUntrustedEntries = false;
};

// The connection's peer; if that is a trusted proxy, the right-most address of x-forwarded-for that is not one. An
// entry that is not an address ends the search at the last valid one.
ClientAddress clientAddress(const http::Request& request, const TrustedProxies& trusted);

}  // namespace mb::api
