#include "api/auth_routes.h"

#include "api/auth_responses.h"
#include "api/sign_in.h"

namespace mb::api {

namespace {

// A boolean setting of the project; false on the control plane.
bool setting(const RequestContext& context, std::string_view name) {
  if (!context.project) return false;
  const auto settings = context.project->info().record.view().find("settings");
  if (!settings || settings->type() != doc::BsonType::document) return false;
  const auto value = settings->asDocument().find(name);
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

}  // namespace

// The gates differ between the planes, the handlers do not.
struct AuthRoutes::Paths {
  std::string prefix;
  Gate (*anyone)(std::string_view rateAction);
  Gate signedIn;
};

void AuthRoutes::addTo(RouteTable& routes) {
  addPlane(routes, {"/api/v1/auth", &authPublic, endUser()});
  addPlane(routes, {"/api/v1/control/auth", &controlPublic, control()});
  routes.post("/api/v1/control/auth/invites/accept", controlPublic("register"), this, &AuthRoutes::acceptInvite,
              "Accept an invitation");
  routes.get("/api/v1/jwks.json", open(), this, &AuthRoutes::jwks, "Public keys of access tokens");
}

void AuthRoutes::addPlane(RouteTable& routes, const Paths& paths) {
  routes.post(paths.prefix + "/register", paths.anyone("register"), this, &AuthRoutes::registerUser, "Register");
  routes.post(paths.prefix + "/login", paths.anyone("login"), this, &AuthRoutes::login, "Sign in with a password");
  routes.post(paths.prefix + "/refresh", paths.anyone("refresh"), this, &AuthRoutes::refresh, "Get a new access token");
  routes.post(paths.prefix + "/logout", paths.anyone(""), this, &AuthRoutes::logout, "Revoke a refresh token");
  routes.get(paths.prefix + "/sessions", paths.signedIn, this, &AuthRoutes::sessions, "List your sessions");
  routes.remove(paths.prefix + "/sessions/:id", paths.signedIn, this, &AuthRoutes::revokeSession,
                "Revoke one of your sessions");
  routes.remove(paths.prefix + "/sessions", paths.signedIn, this, &AuthRoutes::revokeOtherSessions,
                "Revoke all your sessions but this one");
  const Gate verification = paths.anyone("verify-email");
  routes.post(paths.prefix + "/verify-email/request", verification, this, &AuthRoutes::requestVerification,
              "Request a mail that verifies an address");
  routes.post(paths.prefix + "/verify-email", verification, this, &AuthRoutes::verifyEmail, "Verify an address");
  const Gate reset = paths.anyone("password-reset");
  routes.post(paths.prefix + "/password-reset/request", reset, this, &AuthRoutes::requestReset,
              "Request a mail that resets a password");
  routes.post(paths.prefix + "/password-reset", reset, this, &AuthRoutes::resetPassword, "Set a new password");
}

Task<Reply> AuthRoutes::registerUser(RequestContext& context, identity::Registration body) {
  body.local = local_.isLocal(context.request);
  const auto taken = setting(context, "hideRegistered") ? identity::TakenEmail::hide : identity::TakenEmail::refuse;
  CO_TRY(const identity::UserRecord user,
         co_await identity_.users().registerUser(realmOf(context), std::move(body), taken, context.deadline));
  co_return Reply::entity(201, "user", identity::viewOf(user));
}

Task<Reply> AuthRoutes::login(RequestContext& context, identity::Credentials body) {
  const identity::Realm realm = realmOf(context);
  CO_TRY(identity::UserRecord user, co_await identity_.users().checkPassword(realm, std::move(body), context.caller));
  co_return co_await admit(identity_, context, std::move(user), "password");
}

Task<Reply> AuthRoutes::refresh(RequestContext& context, RefreshBody body) {
  const identity::Realm realm = realmOf(context);
  const auto rotation = setting(context, "rotateRefreshTokens") ? identity::Rotation::rotate : identity::Rotation::keep;
  CO_TRY(identity::Sessions::Refreshed refreshed,
         co_await identity_.sessions().refresh(realm, std::move(body.refreshToken), rotation, clientOf(context),
                                               context.deadline));
  CO_TRY(const std::optional<identity::UserRecord> user,
         co_await identity_.users().get(realm, refreshed.session.userId));
  if (!user || !user->active() || identity::isOver(refreshed.session, *user))
    co_return fail(ErrorCode::unauthenticated, "this refresh token is not valid");
  RefreshResponse response;
  response.accessToken = accessTokenOf(identity_, context, *user, refreshed.session.id);
  if (!refreshed.refreshToken.empty()) response.refreshToken = std::move(refreshed.refreshToken);
  co_return Reply::object(200, response);
}

Task<Reply> AuthRoutes::logout(RequestContext& context, RefreshBody body) {
  CO_RETURN_IF_ERROR(co_await identity_.sessions().close(realmOf(context), std::move(body.refreshToken),
                                                         context.deadline, clientOf(context)));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::sessions(RequestContext& context) {
  CO_TRY(std::vector<identity::SessionRecord> records,
         co_await identity_.sessions().list(realmOf(context), UserId(context.caller.id), context.deadline));
  std::vector<identity::SessionView> views;
  views.reserve(records.size());
  for (identity::SessionRecord& record : records) {
    const bool current = record.id.str() == context.caller.sessionId;
    views.push_back({std::move(record.id), record.createdAt, record.lastUsedAt, record.expiresAt,
                     std::move(record.userAgent), std::move(record.ip), current});
  }
  co_return Reply::list("sessions", views);
}

Task<Reply> AuthRoutes::revokeSession(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await identity_.sessions().revoke(
      realmOf(context), UserId(context.caller.id), SessionId(context.param(0)), context.deadline, clientOf(context)));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::revokeOtherSessions(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await identity_.sessions().endAll(realmOf(context), UserId(context.caller.id),
                                                          SessionId(context.caller.sessionId), context.deadline,
                                                          clientOf(context)));
  co_return Reply::noContent();
}

// ---- links in mails

Task<Reply> AuthRoutes::requestVerification(RequestContext& context, identity::EmailBody body) {
  CO_RETURN_IF_ERROR(
      identity_.links().request(realmOf(context), identity::LinkPurpose::verifyEmail, std::move(body.email)));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::verifyEmail(RequestContext& context, identity::TokenBody body) {
  CO_RETURN_IF_ERROR(
      co_await identity_.links().verify(realmOf(context), std::move(body.token), context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::requestReset(RequestContext& context, identity::EmailBody body) {
  CO_RETURN_IF_ERROR(
      identity_.links().request(realmOf(context), identity::LinkPurpose::resetPassword, std::move(body.email)));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::resetPassword(RequestContext& context, identity::PasswordReset body) {
  CO_RETURN_IF_ERROR(
      co_await identity_.links().reset(realmOf(context), std::move(body), context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::acceptInvite(RequestContext& context, identity::InviteAcceptance body) {
  CO_TRY(identity::UserRecord user,
         co_await identity_.links().acceptInvite(std::move(body), context.caller, context.deadline));
  co_return co_await admit(identity_, context, std::move(user), "invite");
}

Task<Reply> AuthRoutes::jwks(RequestContext&) {
  Reply reply = Reply::object(200, identity_.tokens().jwks());
  reply.response.headers.emplace_back("cache-control", "public, max-age=60");
  co_return reply;
}

}  // namespace mb::api
