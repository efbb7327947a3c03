// What a completed sign-in is answered with, whichever way it was proven, on both planes.
#pragma once

#include "api/context.h"
#include "identity/identity.h"

namespace mb::api {

identity::Realm realmOf(const RequestContext& context);
identity::ClientInfo clientOf(const RequestContext& context);

// An access token of the user's session.
std::string accessTokenOf(const identity::Identity& identity, const RequestContext& context,
                          const identity::UserRecord& user, const SessionId& session);

// Opens a session: {accessToken, refreshToken, expiresIn, user}. `method`: identity::ClientInfo::method.
Task<Reply> signIn(identity::Identity& identity, RequestContext& context, identity::UserRecord user,
                   std::string method);

}  // namespace mb::api
