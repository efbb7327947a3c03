#include "api/mfa_routes.h"

#include "api/sign_in.h"

namespace mb::api {

namespace {

constexpr std::string_view kRateAction = "mfa";
// The issuer that authenticator apps show for the control plane.
constexpr std::string_view kPlatformIssuer = "Manybase";

std::string issuerOf(const RequestContext& context) {
  return context.project ? context.project->info().name : std::string(kPlatformIssuer);
}

}  // namespace

void MfaRoutes::addTo(RouteTable& routes) {
  addPlane(routes, "/api/v1/auth/mfa", authPublic(kRateAction), endUser(kRateAction));
  addPlane(routes, "/api/v1/control/auth/mfa", controlPublic(kRateAction), control(kRateAction));
  routes.post("/api/v1/admin/users/:id/reset-mfa", admin("users:manage"), this, &MfaRoutes::reset,
              "Switch off an end user's second factor");
}

void MfaRoutes::addPlane(RouteTable& routes, const std::string& prefix, const Gate& anyone, const Gate& signedIn) {
  routes.post(prefix + "/verify", anyone, this, &MfaRoutes::verify, "Verify the second factor of a sign-in");
  routes.post(prefix + "/totp/enroll", signedIn, this, &MfaRoutes::enroll, "Get a secret for an authenticator app");
  routes.post(prefix + "/totp/activate", signedIn, this, &MfaRoutes::activate, "Switch the second factor on");
  routes.post(prefix + "/totp/disable", signedIn, this, &MfaRoutes::disable, "Switch the second factor off");
}

Task<Reply> MfaRoutes::verify(RequestContext& context, identity::MfaVerification body) {
  CO_TRY(const SessionCookie* cookie, cookie_.requestedBy(context));
  CO_TRY(identity::UserRecord user,
         co_await identity_.mfa().verify(realmOf(context), std::move(body), context.caller, context.deadline));
  co_return co_await signIn(identity_, context, std::move(user), "mfa", cookie);
}

Task<Reply> MfaRoutes::enroll(RequestContext& context) {
  CO_TRY(const identity::TotpEnrollment enrollment,
         co_await identity_.mfa().enroll(realmOf(context), UserId(context.caller.id), issuerOf(context),
                                         context.deadline));
  co_return Reply::object(200, enrollment);
}

Task<Reply> MfaRoutes::activate(RequestContext& context, identity::CodeBody body) {
  CO_TRY(const identity::RecoveryCodes codes,
         co_await identity_.mfa().activate(realmOf(context), std::move(body.code), context.caller, context.deadline));
  co_return Reply::object(200, codes);
}

Task<Reply> MfaRoutes::disable(RequestContext& context, identity::CodeBody body) {
  CO_RETURN_IF_ERROR(
      co_await identity_.mfa().disable(realmOf(context), std::move(body.code), context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> MfaRoutes::reset(RequestContext& context) {
  CO_RETURN_IF_ERROR(
      co_await identity_.mfa().reset(realmOf(context), UserId(context.param(0)), context.caller, context.deadline));
  co_return Reply::noContent();
}

}  // namespace mb::api
