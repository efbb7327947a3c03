#include "api/auth_routes.h"

namespace mb::api {

namespace {

struct LoginAnswer {
  std::string accessToken;
  std::string refreshToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  identity::UserView user;
  static constexpr auto shape() {
    return doc::shape<LoginAnswer>("LoginAnswer", doc::field("accessToken", &LoginAnswer::accessToken),
                                   doc::field("refreshToken", &LoginAnswer::refreshToken),
                                   doc::field("expiresIn", &LoginAnswer::expiresIn),
                                   doc::field("user", &LoginAnswer::user));
  }
};

struct RefreshAnswer {
  std::string accessToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  std::optional<std::string> refreshToken;  // where the project rotates them
  static constexpr auto shape() {
    return doc::shape<RefreshAnswer>("RefreshAnswer", doc::field("accessToken", &RefreshAnswer::accessToken),
                                     doc::field("expiresIn", &RefreshAnswer::expiresIn),
                                     doc::field("refreshToken", &RefreshAnswer::refreshToken));
  }
};

identity::Realm realmOf(const RequestContext& context) {
  return context.project ? identity::Realm::of(context.project->info()) : identity::Realm::platform();
}

// A switch of the project's settings; off on the control plane.
bool setting(const RequestContext& context, std::string_view name) {
  if (!context.project) return false;
  const auto settings = context.project->info().record.view().find("settings");
  if (!settings || settings->type() != doc::BsonType::document) return false;
  const auto value = settings->asDocument().find(name);
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

identity::ClientInfo clientOf(const RequestContext& context) {
  return {context.clientIp, std::string(context.request.header("user-agent").value_or(""))};
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
}

Task<Reply> AuthRoutes::registerUser(RequestContext& context, identity::Registration body) {
  const auto taken = setting(context, "hideRegistered") ? identity::TakenEmail::hide : identity::TakenEmail::refuse;
  CO_TRY(const identity::UserRecord user,
         co_await identity_.users().registerUser(realmOf(context), std::move(body), taken, context.deadline));
  co_return Reply::entity(201, "user", identity::viewOf(user));
}

Task<Reply> AuthRoutes::login(RequestContext& context, identity::Credentials body) {
  const identity::Realm realm = realmOf(context);
  CO_TRY(const identity::UserRecord user, co_await identity_.users().checkPassword(realm, std::move(body)));
  CO_TRY(identity::Sessions::Opened opened,
         co_await identity_.sessions().open(realm, user.id, clientOf(context), context.deadline));
  LoginAnswer answer;
  answer.accessToken = accessToken(context, user, opened.session.id);
  answer.refreshToken = std::move(opened.refreshToken);
  answer.user = identity::viewOf(user);
  co_return Reply::object(200, answer);
}

Task<Reply> AuthRoutes::refresh(RequestContext& context, RefreshBody body) {
  const identity::Realm realm = realmOf(context);
  const auto rotation = setting(context, "rotateRefreshTokens") ? identity::Rotation::rotate : identity::Rotation::keep;
  CO_TRY(identity::Sessions::Refreshed refreshed,
         co_await identity_.sessions().refresh(realm, std::move(body.refreshToken), rotation, context.deadline));
  CO_TRY(const std::optional<identity::UserRecord> user,
         co_await identity_.users().get(realm, refreshed.session.userId));
  if (!user || !user->active()) co_return fail(ErrorCode::unauthenticated, "this refresh token is not valid");
  RefreshAnswer answer;
  answer.accessToken = accessToken(context, *user, refreshed.session.id);
  if (!refreshed.refreshToken.empty()) answer.refreshToken = std::move(refreshed.refreshToken);
  co_return Reply::object(200, answer);
}

Task<Reply> AuthRoutes::logout(RequestContext& context, RefreshBody body) {
  CO_CHECK(co_await identity_.sessions().close(realmOf(context), std::move(body.refreshToken), context.deadline));
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
  CO_CHECK(co_await identity_.sessions().revoke(realmOf(context), UserId(context.caller.id),
                                                SessionId(context.param(0)), context.deadline));
  co_return Reply::noContent();
}

Task<Reply> AuthRoutes::jwks(RequestContext&) {
  Reply reply = Reply::object(200, identity_.tokens().jwks());
  reply.response.headers.emplace_back("cache-control", "public, max-age=300");
  co_return reply;
}

std::string AuthRoutes::accessToken(const RequestContext& context, const identity::UserRecord& user,
                                    const SessionId& session) const {
  if (!context.project) return identity_.tokens().mintControl(user.id, session);
  const std::string role = identity::roleOf(user);
  const auto& roles = context.project->get(identity_.slots().roles).endUser;
  const auto held = roles.find(role);
  static const policy::PermissionSet kNone;
  return identity_.tokens().mintEndUser(user.id, session, context.project->info().id, role,
                                        held == roles.end() ? kNone : *held->second);
}

}  // namespace mb::api
