// Whether a request was made on this machine, or may come from another one.
#pragma once

#include <string_view>

#include "http/message.h"

namespace mb::api {

// "localhost", or an address of the loopback (127.0.0.0/8, ::1); with or without a port.
bool isLoopbackHost(std::string_view host);
// An http or https URL of such a host.
bool isLoopbackUrl(std::string_view url);

class LocalRequests {
 public:
  // `localOnly`: no setting says that other machines reach this server.
  explicit LocalRequests(bool localOnly) : localOnly_(localOnly) {}
  // Only where nothing speaks against it: a setting, a header that proxies add, HTTP/1.0, or a host that is not this
  // machine's. A browser's navigation from a page of another site counts as local.
  bool hasLocalConnection(const http::Request& request) const;
  // Likewise, and no page of another site sent the request: such a page runs in a browser on this machine, and can send
  // forms and simple requests here without asking.
  bool isLocal(const http::Request& request) const;

 private:
  const bool localOnly_;
};

}  // namespace mb::api
