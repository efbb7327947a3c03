#include "api/sign_in.h"

#include "api/auth_responses.h"

namespace mb::api {

identity::Realm realmOf(const RequestContext& context) {
  return context.project ? identity::Realm::of(context.project->info()) : identity::Realm::platform();
}

identity::ClientInfo clientOf(const RequestContext& context) {
  return {context.clientIp, std::string(context.request.header("user-agent").value_or("")), context.request.id};
}

std::string accessTokenOf(const identity::Identity& identity, const RequestContext& context,
                          const identity::UserRecord& user, const SessionId& session) {
  if (!context.project) return identity.tokens().mintControl(user.id, session);
  const std::string role = identity::roleOf(user);
  const auto& roles = context.project->get(identity.slots().roles).endUser;
  const auto held = roles.find(role);
  static const policy::PermissionSet kNone;
  return identity.tokens().mintEndUser(user.id, session, context.project->info().id, role,
                                       held == roles.end() ? kNone : *held->second);
}

namespace {

identity::ClientInfo clientBy(const RequestContext& context, std::string method, const SessionCookie* cookie) {
  identity::ClientInfo client = clientOf(context);
  client.method = std::move(method);
  if (cookie != nullptr) client.transport = identity::TokenTransport::cookie;
  return client;
}

Reply loginResponse(const identity::Identity& identity, const RequestContext& context, const identity::UserRecord& user,
                    identity::Sessions::Opened opened, const SessionCookie* cookie) {
  PlatformLoginResponse response;  // that of end users has the same fields
  response.accessToken = accessTokenOf(identity, context, user, opened.session.id);
  response.user = identity::viewOf(user);
  if (cookie == nullptr) response.refreshToken = std::move(opened.refreshToken);
  Reply reply = Reply::object(200, response);
  if (cookie != nullptr) cookie->set(reply.response, opened.refreshToken);
  return reply;
}

}  // namespace

Task<Reply> admit(identity::Identity& identity, RequestContext& context, identity::UserRecord user, std::string method,
                  const SessionCookie* cookie) {
  CO_TRY(
      identity::Admission admission,
      co_await identity.admit(realmOf(context), user, clientBy(context, std::move(method), cookie), context.deadline));
  if (admission.opened) co_return loginResponse(identity, context, user, *std::move(admission.opened), cookie);
  MfaRequired response;
  response.mfaToken = std::move(admission.mfaToken);
  co_return Reply::object(200, response);
}

Task<Reply> signIn(identity::Identity& identity, RequestContext& context, identity::UserRecord user, std::string method,
                   const SessionCookie* cookie) {
  auto opened = co_await identity.sessions().open(realmOf(context), user, clientBy(context, std::move(method), cookie),
                                                  context.deadline);
  // The second factor was enabled since the first: the sign-in must start again.
  if (!opened && opened.error().code() == ErrorCode::retry) {
    co_return fail(ErrorCode::unauthenticated, "the second factor was enabled during this sign-in: sign in again");
  }
  if (!opened) co_return fail(std::move(opened).error());
  co_return loginResponse(identity, context, user, *std::move(opened), cookie);
}

}  // namespace mb::api
