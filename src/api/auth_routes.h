// /api/v1/auth of end users, /api/v1/control/auth of platform users (the same handlers), and the public keys of their
// tokens.
#pragma once

#include "api/local_requests.h"
#include "api/routes.h"
#include "identity/identity.h"

namespace mb::api {

struct RefreshBody {
  std::string refreshToken;
  static constexpr auto shape() {
    return doc::shape<RefreshBody>("RefreshBody", doc::field("refreshToken", &RefreshBody::refreshToken));
  }
};

class AuthRoutes {
 public:
  AuthRoutes(identity::Identity& identity, LocalRequests local) : identity_(identity), local_(local) {}
  void addTo(RouteTable& routes);

  Task<Reply> registerUser(RequestContext& context, identity::Registration body);
  Task<Reply> login(RequestContext& context, identity::Credentials body);
  Task<Reply> refresh(RequestContext& context, RefreshBody body);
  Task<Reply> logout(RequestContext& context, RefreshBody body);
  Task<Reply> sessions(RequestContext& context);
  Task<Reply> revokeSession(RequestContext& context);
  Task<Reply> revokeOtherSessions(RequestContext& context);
  Task<Reply> requestVerification(RequestContext& context, identity::EmailBody body);
  Task<Reply> verifyEmail(RequestContext& context, identity::TokenBody body);
  Task<Reply> requestReset(RequestContext& context, identity::EmailBody body);
  Task<Reply> resetPassword(RequestContext& context, identity::PasswordReset body);
  Task<Reply> acceptInvite(RequestContext& context, identity::InviteAcceptance body);
  Task<Reply> jwks(RequestContext& context);

 private:
  struct Paths;
  void addPlane(RouteTable& routes, const Paths& paths);

  identity::Identity& identity_;
  const LocalRequests local_;
};

}  // namespace mb::api
