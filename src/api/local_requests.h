// Tells requests that were made on this machine from those that may come from another one.
#pragma once

#include <string_view>

#include "http/message.h"

namespace mb::api {

// "localhost", or an address of the loopback (127.0.0.0/8, ::1); with or without a port.
bool isLoopbackHost(std::string_view host);

class LocalRequests {
 public:
  // `localOnly`: no setting says that other machines reach this server.
  explicit LocalRequests(bool localOnly) : localOnly_(localOnly) {}
  // Only where nothing speaks against it: a setting, a header that proxies add, or a host that is not this machine's.
  bool isLocal(const http::Request& request) const;

 private:
  const bool localOnly_;
};

}  // namespace mb::api
