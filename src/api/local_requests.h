// Decides whether a request was certainly made on this machine.
#pragma once

#include <string_view>

#include "http/message.h"

namespace mb::api {

// "localhost" or a loopback address (127.0.0.0/8, ::1), with or without a port.
bool isLoopbackHost(std::string_view host);
// An http or https URL of such a host.
bool isLoopbackUrl(std::string_view url);

class LocalRequests {
 public:
  // `localOnly`: no setting shows that other machines reach this server.
  explicit LocalRequests(bool localOnly) : localOnly_(localOnly) {}
  // False if anything suggests another machine: a setting, a header that proxies add, HTTP/1.0, or a host that is not
  // this machine's. A browser's navigation from a page of another site counts as local.
  bool hasLocalConnection(const http::Request& request) const;
  // Likewise, and the request was not sent by a page of another site: such a page, in a browser on this machine, can
  // send forms and simple requests here without a preflight.
  bool isLocal(const http::Request& request) const;

 private:
  const bool localOnly_;
};

}  // namespace mb::api
