// Signing in, on both planes.
#include "api/auth_responses.h"
#include "api/auth_routes.h"
#include "api/route_docs.h"
#include "identity/identity.h"

namespace mb::api {

namespace {

using openapi::Response;
using enum ErrorCode;
using http::Method;

struct Plane {
  std::string prefix;
  bool control;
  // "login" and "platformLogin"
  std::string id(std::string name) const {
    if (!control) return name;
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return "platform" + name;
  }
};

// Routes that take x-service-session.
void addCookie(RouteDoc& doc) {
  doc.extra.headers.push_back("x-service-session");
  doc.errors.push_back(forbidden);
  for (Response& response : doc.responses) response.setsCookie = true;
}

// Where the responses of platform users differ.
void addCookies(std::vector<RouteDoc>& docs, const Plane& plane) {
  for (RouteDoc& doc : docs) {
    const bool login = doc.id == plane.id("login");
    const bool refresh = doc.id == plane.id("refresh");
    if (login || doc.id == plane.id("verifySecondFactor")) doc.responses.front() = whole<PlatformLoginResponse>();
    if (refresh) doc.extra.body = {.shape = &doc::shapeInfo<PlatformRefreshBody>};
    if (login || refresh || doc.id == plane.id("verifySecondFactor")) addCookie(doc);
    if (doc.id == plane.id("revokeSession")) doc.responses.front().setsCookie = true;
  }
}

void addPlane(std::vector<RouteDoc>& docs, const Plane& plane) {
  const std::string& at = plane.prefix;
  const Response back{
      .status = 302, .content = {}, .meaning = "Redirects to `redirect`, with the outcome in the fragment."};
  const Response away{.status = 302, .content = {}, .meaning = "Redirects to the provider."};
  std::vector<RouteDoc> added = {
      {Method::post,
       at + "/register",
       plane.id("register"),
       {entity<identity::UserView>("user", 201)},
       {emailTaken, conflict, forbidden}},
      {Method::post,
       at + "/login",
       plane.id("login"),
       {whole<LoginResponse>(), whole<MfaRequired>()},
       {invalidCredentials, userInactive, userBlocked, conflict}},
      {Method::post, at + "/refresh", plane.id("refresh"), {whole<RefreshResponse>()}, {unauthenticated, conflict}},
      {Method::post, at + "/logout", plane.id("logout"), {kNothing}},
      {Method::get, at + "/sessions", plane.id("listSessions"), {listOf<identity::SessionView>("sessions")}},
      {Method::remove, at + "/sessions/:id", plane.id("revokeSession"), {kNothing}},
      {Method::remove, at + "/sessions", plane.id("revokeOtherSessions"), {kNothing}},
      {Method::post, at + "/verify-email/request", plane.id("requestVerification"), {kNothing}},
      {Method::post, at + "/verify-email", plane.id("verifyEmail"), {kNothing}, {invalidCredentials, conflict}},
      {Method::post, at + "/password-reset/request", plane.id("requestPasswordReset"), {kNothing}},
      {Method::post, at + "/password-reset", plane.id("resetPassword"), {kNothing}, {invalidCredentials, conflict}},
      {Method::post,
       at + "/password",
       plane.id("changePassword"),
       {kNothing},
       {invalidCredentials, conflict},
       {},
       {.more = "Ends all other sessions of the user."}},
      {Method::post,
       at + "/mfa/verify",
       plane.id("verifySecondFactor"),
       {whole<LoginResponse>()},
       {unauthenticated, invalidCredentials, userInactive, userBlocked, conflict}},
      {Method::post,
       at + "/mfa/totp/enroll",
       plane.id("enrollTotp"),
       {whole<identity::TotpEnrollment>()},
       {emailUnverified, conflict}},
      {Method::post,
       at + "/mfa/totp/activate",
       plane.id("activateTotp"),
       {whole<identity::RecoveryCodes>()},
       {invalidCredentials, emailUnverified, conflict}},
      {Method::post, at + "/mfa/totp/disable", plane.id("disableTotp"), {kNothing}, {invalidCredentials, conflict}},
      {Method::get, at + "/identities", plane.id("listIdentities"), {listOf<identity::IdentityView>("identities")}},
      {Method::remove, at + "/identities/:id", plane.id("removeIdentity"), {kNothing}, {conflict}},
      {Method::get,
       at + "/oauth/:provider/start",
       plane.id("startOauth"),
       {away},
       {invalidParam, upstreamFailed},
       {"redirect"}},
      {Method::get,
       at + "/oauth/:provider/callback",
       plane.id("finishOauth"),
       {back},
       {},
       {"state", "code", "error", "iss"},
       {.more = "The provider sends the browser here. Never an error response: errors are reported in the fragment.",
        .openQuery = true}},
  };
  if (plane.control) addCookies(added, plane);
  docs.insert(docs.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

std::vector<RouteDoc> authDocs() {
  std::vector<RouteDoc> docs;
  addPlane(docs, {"/api/v1/auth", false});
  addPlane(docs, {"/api/v1/control/auth", true});
  docs.push_back({Method::post,
                  "/api/v1/control/auth/invites/accept",
                  "acceptInvite",
                  {whole<PlatformLoginResponse>(), whole<MfaRequired>()},
                  {unauthenticated, conflict}});
  addCookie(docs.back());
  return docs;
}

}  // namespace mb::api
