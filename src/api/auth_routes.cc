#include "api/auth_routes.h"

#include "api/auth_responses.h"
#include "api/sign_in.h"

namespace mb::api {

namespace {

constexpr std::string_view kRefreshAction = "refresh";
constexpr std::string_view kSessionAction = "session";

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
  Gate passwordChange;
  bool control;
};

void AuthRoutes::addTo(RouteTable& routes) {
  addPlane(routes, {"/api/v1/auth", &authPublic, endUser(), endUser("password"), false});
  addPlane(routes, {"/api/v1/control/auth", &controlPublic, control(), control("password"), true});
  routes.post("/api/v1/control/auth/invites/accept", controlPublic("register"), this, &AuthRoutes::acceptInvite,
              "Accept an invitation");
  routes.get("/api/v1/jwks.json", open(), this, &AuthRoutes::jwks, "Public keys of access tokens");
}

void AuthRoutes::addPlane(RouteTable& routes, const Paths& paths) {
  routes.post(paths.prefix + "/register", paths.anyone("register"), this, &AuthRoutes::registerUser, "Register");
  routes.post(paths.prefix + "/login", paths.anyone("login"), this, &AuthRoutes::login, "Sign in with a password");
  constexpr std::string_view kRefreshSummary = "Get a new access token";
  if (paths.control) {
    routes.post(paths.prefix + "/refresh", controlCookie(kRefreshAction), this, &AuthRoutes::refreshPlatform,
                kRefreshSummary);
  } else {
    routes.post(paths.prefix + "/refresh", authPublic(kRefreshAction), this, &AuthRoutes::refresh, kRefreshSummary);
  }
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
  routes.post(paths.prefix + "/password", paths.passwordChange, this, &AuthRoutes::changePassword,
              "Change your password");
}

Task<Reply> AuthRoutes::registerUser(RequestContext& context, identity::Registration body) {
  body.local = local_.isLocal(context.request);
  const auto taken = setting(context, "hideRegistered") ? identity::TakenEmail::hide : identity::TakenEmail::refuse;
  CO_TRY(const identity::UserRecord user,
         co_await identity_.users().registerUser(realmOf(context), std::move(body), taken, context.deadline));
  co_return Reply::entity(201, "user", identity::viewOf(user));
}

Task<Reply> AuthRoutes::login(RequestContext& context, identity::Credentials body) {
  CO_TRY(const SessionCookie* cookie, cookie_.requestedBy(context));
  const identity::Realm realm = realmOf(context);
  CO_TRY(identity::UserRecord user, co_await identity_.users().checkPassword(realm, std::move(body), context.caller));
  co_return co_await admit(identity_, context, std::move(user), "password", cookie);
}

Task<AuthRoutes::Renewed> AuthRoutes::renew(const RequestContext& context, std::string refreshToken,
                                            identity::Rotation rotation, identity::TokenTransport transport) {
  const identity::Realm realm = realmOf(context);
  identity::ClientInfo client = clientOf(context);
  client.transport = transport;
  CO_TRY(identity::Sessions::Refreshed refreshed,
         co_await identity_.sessions().refresh(realm, std::move(refreshToken), rotation, std::move(client),
                                               context.deadline));
  CO_TRY(std::optional<identity::UserRecord> user, co_await identity_.users().get(realm, refreshed.session.userId));
  if (!user || !user->active() || identity::isOver(refreshed.session, *user))
    co_return fail(ErrorCode::unauthenticated, "this refresh token is not valid");
  co_return Renewed{std::move(refreshed), *std::move(user)};
}

Task<Reply> AuthRoutes::refresh(RequestContext& context, RefreshBody body) {
  const auto rotation = setting(context, "rotateRefreshTokens") ? identity::Rotation::rotate : identity::Rotation::keep;
  CO_TRY(Renewed renewed,
         co_await renew(context, std::move(body.refreshToken), rotation, identity::TokenTransport::body));
  RefreshResponse response;
  response.accessToken = accessTokenOf(identity_, context, renewed.user, renewed.refreshed.session.id);
  if (!renewed.refreshed.refreshToken.empty()) response.refreshToken = std::move(renewed.refreshed.refreshToken);
  co_return Reply::object(200, response);
}

// Decodes the body itself: which fields it needs depends on the header.
Task<Reply> AuthRoutes::refreshPlatform(RequestContext& context) {
  CO_TRY(const SessionCookie* cookie, cookie_.requestedBy(context));
  CO_TRY(const doc::Document source, co_await parseBody(context, doc::ExtendedJson::refuse));
  if (cookie == nullptr) {
    CO_TRY(RefreshBody body, doc::decode<RefreshBody>(source));
    co_return co_await refresh(context, std::move(body));
  }
  CO_TRY(PlatformRefreshBody body, doc::decode<PlatformRefreshBody>(source));
  if (body.refreshToken) co_return co_await moveIntoCookie(context, *cookie, *std::move(body.refreshToken));
  co_return co_await refreshByCookie(context, *cookie);
}

Result<> AuthRoutes::countAddress(RequestContext& context) {
  context.counted =
      CountedRequest{kRefreshAction, identity_.rateLimiter().take(context.clientIp, kControlLimits, kRefreshAction)};
  if (!context.counted->allowance) return fail(context.counted->allowance.refusal());
  return {};
}

Reply AuthRoutes::cookieResponse(const RequestContext& context, const SessionCookie& cookie, const Renewed& renewed,
                                 std::string_view refreshToken) const {
  RefreshResponse response;
  response.accessToken = accessTokenOf(identity_, context, renewed.user, renewed.refreshed.session.id);
  Reply reply = Reply::object(200, response);
  const std::string& replaced = renewed.refreshed.refreshToken;
  cookie.set(reply.response, replaced.empty() ? refreshToken : replaced);
  return reply;
}

Task<Reply> AuthRoutes::moveIntoCookie(RequestContext& context, const SessionCookie& cookie, std::string refreshToken) {
  CO_RETURN_IF_ERROR(countAddress(context));
  CO_TRY(const Renewed renewed, co_await renew(context, std::move(refreshToken), identity::Rotation::rotate,
                                               identity::TokenTransport::cookie));
  co_return cookieResponse(context, cookie, renewed, renewed.refreshed.refreshToken);
}

Task<Reply> AuthRoutes::refreshByCookie(RequestContext& context, const SessionCookie& cookie) {
  const http::CookieLookup found = cookie.find(context.request);
  // Not counted: a page without a session sends one such request for each load.
  if (found.state == http::CookieLookup::State::absent) {
    co_return fail(ErrorCode::unauthenticated, "this browser has no session: sign in");
  }
  const std::string refreshToken(found.value);
  auto renewed = co_await renew(context, refreshToken, identity::Rotation::keep, identity::TokenTransport::cookie);
  if (!renewed) {
    if (renewed.error().code() == ErrorCode::unauthenticated) {
      CO_RETURN_IF_ERROR(countAddress(context));
    }
    co_return fail(std::move(renewed).error());
  }
  context.counted = CountedRequest{
      kSessionAction,
      identity_.cookieRateLimiter().take(renewed->refreshed.session.id.str(), kControlLimits, kSessionAction)};
  if (!context.counted->allowance) co_return fail(context.counted->allowance.refusal());
  co_return cookieResponse(context, cookie, *renewed, refreshToken);
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
  CO_TRY(const identity::SessionRecord ended,
         co_await identity_.sessions().revoke(realmOf(context), UserId(context.caller.id), SessionId(context.param(0)),
                                              context.deadline, clientOf(context)));
  Reply reply = Reply::noContent();
  // The cookie is not sent to this path. If it is of another session by now, that one signs in again.
  const bool current = ended.id.str() == context.caller.sessionId;
  if (current && ended.inCookie.value_or(false)) cookie_.clear(reply.response);
  co_return reply;
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

Task<Reply> AuthRoutes::changePassword(RequestContext& context, identity::PasswordChange body) {
  CO_RETURN_IF_ERROR(
      co_await identity_.users().changePassword(realmOf(context), std::move(body), context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::acceptInvite(RequestContext& context, identity::InviteAcceptance body) {
  CO_TRY(const SessionCookie* cookie, cookie_.requestedBy(context));
  CO_TRY(identity::UserRecord user,
         co_await identity_.links().acceptInvite(std::move(body), context.caller, context.deadline));
  co_return co_await admit(identity_, context, std::move(user), "invite", cookie);
}

Task<Reply> AuthRoutes::jwks(RequestContext&) {
  Reply reply = Reply::object(200, identity_.tokens().jwks());
  reply.response.headers.emplace_back("cache-control", "public, max-age=60");
  co_return reply;
}

}  // namespace mb::api
