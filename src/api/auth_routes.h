// /api/v1/auth of end users, /api/v1/control/auth of platform users (the same handlers), and the public keys of their
// tokens.
#pragma once

#include "api/local_requests.h"
#include "api/routes.h"
#include "api/session_cookie.h"
#include "identity/identity.h"

namespace mb::api {

struct RefreshBody {
  std::string refreshToken;
  static constexpr auto shape() {
    return doc::shape<RefreshBody>("RefreshBody", doc::field("refreshToken", &RefreshBody::refreshToken));
  }
};

// The same with the header x-service-session, where the token may be in the cookie.
struct PlatformRefreshBody {
  std::optional<std::string> refreshToken;
  static constexpr auto shape() {
    return doc::shape<PlatformRefreshBody>("PlatformRefreshBody",
                                           doc::field("refreshToken", &PlatformRefreshBody::refreshToken));
  }
};

class AuthRoutes {
 public:
  AuthRoutes(identity::Identity& identity, LocalRequests local, std::string_view baseUrl)
      : identity_(identity), local_(local), cookie_(baseUrl) {}
  void addTo(RouteTable& routes);

  Task<Reply> registerUser(RequestContext& context, identity::Registration body);
  Task<Reply> login(RequestContext& context, identity::Credentials body);
  Task<Reply> refresh(RequestContext& context, RefreshBody body);
  Task<Reply> refreshPlatform(RequestContext& context);
  Task<Reply> logout(RequestContext& context, RefreshBody body);
  Task<Reply> sessions(RequestContext& context);
  Task<Reply> revokeSession(RequestContext& context);
  Task<Reply> revokeOtherSessions(RequestContext& context);
  Task<Reply> requestVerification(RequestContext& context, identity::EmailBody body);
  Task<Reply> verifyEmail(RequestContext& context, identity::TokenBody body);
  Task<Reply> requestReset(RequestContext& context, identity::EmailBody body);
  Task<Reply> resetPassword(RequestContext& context, identity::PasswordReset body);
  Task<Reply> changePassword(RequestContext& context, identity::PasswordChange body);
  Task<Reply> acceptInvite(RequestContext& context, identity::InviteAcceptance body);
  Task<Reply> jwks(RequestContext& context);

 private:
  struct Paths;
  void addPlane(RouteTable& routes, const Paths& paths);

  struct Renewed {
    identity::Sessions::Refreshed refreshed;
    identity::UserRecord user;
  };
  // Refreshes the session of a token. Fails with unauthenticated where it is over or its user is not active.
  Task<Renewed> renew(const RequestContext& context, std::string refreshToken, identity::Rotation rotation,
                      identity::TokenTransport transport);
  // A new access token by the token in the cookie; counts per session.
  Task<Reply> refreshByCookie(RequestContext& context, const SessionCookie& cookie);
  // Replaces the token of a body by one in the cookie; counts per address.
  Task<Reply> moveIntoCookie(RequestContext& context, const SessionCookie& cookie, std::string refreshToken);
  Reply cookieResponse(const RequestContext& context, const SessionCookie& cookie, const Renewed& renewed,
                       std::string_view refreshToken) const;
  // Counts a refresh against the limit of the address. Fails with rateLimited.
  Result<> countAddress(RequestContext& context);

  identity::Identity& identity_;
  const LocalRequests local_;
  const SessionCookie cookie_;
};

}  // namespace mb::api
