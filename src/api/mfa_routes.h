// The second factor: /api/v1/auth/mfa of end users, /api/v1/control/auth/mfa of platform users, and its reset by an
// admin (docs/api.md, Second factor).
#pragma once

#include "api/routes.h"
#include "api/session_cookie.h"
#include "identity/identity.h"

namespace mb::api {

class MfaRoutes {
 public:
  MfaRoutes(identity::Identity& identity, std::string_view baseUrl) : identity_(identity), cookie_(baseUrl) {}
  void addTo(RouteTable& routes);

  Task<Reply> verify(RequestContext& context, identity::MfaVerification body);
  Task<Reply> enroll(RequestContext& context);
  Task<Reply> activate(RequestContext& context, identity::CodeBody body);
  Task<Reply> disable(RequestContext& context, identity::CodeBody body);
  Task<Reply> reset(RequestContext& context);

 private:
  void addPlane(RouteTable& routes, const std::string& prefix, const Gate& anyone, const Gate& signedIn);

  identity::Identity& identity_;
  const SessionCookie cookie_;
};

}  // namespace mb::api
