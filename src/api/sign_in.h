// The response to a successful sign-in, by any method, on both planes.
#pragma once

#include "api/session_cookie.h"
#include "identity/identity.h"

namespace mb::api {

identity::Realm realmOf(const RequestContext& context);
identity::ClientInfo clientOf(const RequestContext& context);

// An access token of the user's session.
std::string accessTokenOf(const identity::Identity& identity, const RequestContext& context,
                          const identity::UserRecord& user, const SessionId& session);

// After a first factor: {accessToken, refreshToken, expiresIn, user}, or {mfaRequired, mfaToken} if a second one is
// required. `method`: identity::ClientInfo::method. With a `cookie` the refresh token is there, and not in the body.
Task<Reply> admit(identity::Identity& identity, RequestContext& context, identity::UserRecord user, std::string method,
                  const SessionCookie* cookie);
// After all factors: opens a session. `cookie` as above.
Task<Reply> signIn(identity::Identity& identity, RequestContext& context, identity::UserRecord user, std::string method,
                   const SessionCookie* cookie);

}  // namespace mb::api
