// The settings that the gatekeeper and the dispatcher read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/networks.h"
#include "base/settings.h"
#include "http/message.h"
#include "identity/rate_limiter.h"

namespace mb::api {

// Networks whose x-forwarded-for is trusted. Immutable; any thread.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // "10.0.0.0/8", "::1/128", or a single address. Fails with validation, naming the entry.
  static Result<TrustedProxies> parse(const std::vector<std::string>& networks);
  bool empty() const { return networks_.empty(); }
  bool trusts(std::string_view address) const;
  // Whether the networks are so wide that they include arbitrary clients.
  bool trustAnybody() const;

 private:
  Networks networks_;
};

struct ApiSettings {
  explicit ApiSettings(Settings& settings);
  ApiSettings() = default;

  bool control = true;
  std::string defaultProject;            // id or slug; empty: no default
  std::vector<std::string> corsOrigins;  // of the control and admin planes, in addition to the server's own
  TrustedProxies trustedProxies;
  identity::Rate publicRate{30, 60};  // of requests without a token that public rules serve
  size_t maxBody = 1 << 20;
  std::string runOrigin;  // of functions that browsers open; empty: the server's own

  // Whether the request was sent to the host of functions (runOrigin), which serves only functions.
  bool isForRunHost(const http::Request& request) const;
};

}  // namespace mb::api
