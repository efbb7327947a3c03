#include "api/oauth_routes.h"

#include <fmt/format.h>

#include "api/session_cookie.h"
#include "api/sign_in.h"
#include "base/crypto.h"

namespace mb::api {

namespace {

constexpr std::string_view kCookie = "mb_oauth";
constexpr int kCookieSeconds = 600;
constexpr size_t kMaxCookies = 50;
constexpr size_t kTabDigits = 8;
constexpr std::string_view kData = "/api/v1/auth";
constexpr std::string_view kControl = "/api/v1/control/auth";

// The values of the browser's cookies.
std::vector<std::string> cookiesOf(const http::Request& request) {
  std::vector<std::string> values;
  std::string_view rest = request.header("cookie").value_or("");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const size_t equals = pair.find('=');
    if (pair.starts_with(kCookie) && equals != std::string_view::npos && values.size() < kMaxCookies) {
      values.emplace_back(pair.substr(equals + 1));
    }
  }
  return values;
}

std::string parameter(const http::QueryParams& query, std::string_view name) {
  return std::string(query.get(name).value_or(""));
}

}  // namespace

OauthRoutes::OauthRoutes(identity::Identity& identity, identity::Oauth& oauth, LocalRequests local,
                         std::string_view baseUrl)
    : identity_(identity),
      oauth_(oauth),
      local_(local),
      cookiePath_(basePathOf(baseUrl)),
      secure_(baseUrl.starts_with("https:")) {}

void OauthRoutes::addTo(RouteTable& routes) {
  using Routes = OauthRoutes;
  const std::string data(kData);
  const std::string platform(kControl);
  routes.get(data + "/oauth/:provider/start", authPublic(), this, &Routes::start, "Go to a provider to sign in");
  routes.get(data + "/oauth/:provider/callback", open(), this, &Routes::callback, "Return from a provider");
  routes.get(platform + "/oauth/:provider/start", open(), this, &Routes::start, "Go to a provider to sign in");
  routes.get(platform + "/oauth/:provider/callback", open(), this, &Routes::controlCallback, "Return from a provider");
  for (const auto& [prefix, gate] : {std::pair{data, endUser()}, std::pair{platform, control()}}) {
    routes.get(prefix + "/identities", gate, this, &Routes::identities, "List the providers you sign in with");
    routes.remove(prefix + "/identities/:id", gate, this, &Routes::unlink, "Remove a provider that you sign in with");
  }
  routes.get("/api/v1/admin/auth/oauth", admin("auth:config:read"), this, &Routes::configuration,
             "Read providers and redirects");
  routes.put("/api/v1/admin/auth/oauth/providers/:provider", admin("auth:config:write"), this, &Routes::setProvider,
             "Set up a provider");
  routes.put("/api/v1/admin/auth/oauth/redirects", admin("auth:config:write"), this, &Routes::setRedirects,
             "Set the origins that a sign-in may return to");
}

Reply OauthRoutes::redirect(std::string location) const {
  Reply reply{http::Response::empty(302)};
  reply.response.headers.emplace_back("location", std::move(location));
  reply.response.headers.emplace_back("cache-control", "no-store");
  reply.response.headers.emplace_back("referrer-policy", "no-referrer");
  return reply;
}

Task<Reply> OauthRoutes::start(RequestContext& context) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  CO_TRY(identity::Oauth::Started started,
         co_await oauth_.start(context.project, context.param(0), parameter(query, "redirect")));
  Reply reply = redirect(std::move(started.location));
  if (!started.cookie.empty()) {
    const std::string_view plane = context.project ? kData : kControl;
    // The newest, and one for this tab alone: another tab's start must not end this sign-in.
    const std::string tab = "_" + toHex(sha256(started.cookie)).substr(0, kTabDigits);
    for (const std::string& suffix : {std::string(), tab}) {
      reply.response.headers.emplace_back(
          "set-cookie", fmt::format("{}{}={}; Path={}{}/oauth; Max-Age={}; HttpOnly; SameSite=Lax{}", kCookie, suffix,
                                    started.cookie, cookiePath_, plane, kCookieSeconds, secure_ ? "; Secure" : ""));
    }
  }
  co_return reply;
}

Task<Reply> OauthRoutes::callback(RequestContext& context) {
  return finish(context, false);
}

Task<Reply> OauthRoutes::controlCallback(RequestContext& context) {
  return finish(context, true);
}

// Malformed parameters are treated as absent: the state then names no redirect.
Task<Reply> OauthRoutes::finish(RequestContext& context, bool control) {
  identity::Oauth::Callback callback;
  callback.control = control;
  callback.provider = context.param(0);
  if (const auto query = http::QueryParams::parse(context.request.query)) {
    callback.state = parameter(*query, "state");
    callback.code = parameter(*query, "code");
    callback.error = parameter(*query, "error");
    callback.issuer = parameter(*query, "iss");
  }
  callback.cookies = cookiesOf(context.request);
  callback.client = clientOf(context);
  callback.by = context.caller;
  // The provider's site sends the browser here. State and cookie show that the sign-in began in this browser.
  callback.local = local_.hasLocalConnection(context.request);
  co_return redirect(co_await oauth_.finish(std::move(callback), context.deadline));
}

Task<Reply> OauthRoutes::identities(RequestContext& context) {
  CO_TRY(const std::vector<identity::IdentityRecord> records,
         co_await identity_.identities().list(realmOf(context), UserId(context.caller.id), context.deadline));
  std::vector<identity::IdentityView> views;
  views.reserve(records.size());
  for (const identity::IdentityRecord& record : records) views.push_back(identity::viewOf(record));
  co_return Reply::list("identities", views);
}

Task<Reply> OauthRoutes::unlink(RequestContext& context) {
  CO_RETURN_IF_ERROR(
      co_await identity_.identities().unlink(realmOf(context), context.param(0), context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> OauthRoutes::configuration(RequestContext& context) {
  co_return Reply::object(200, identity_.oauthConfigs().view(context.project->get(identity_.slots().oauth)));
}

Task<Reply> OauthRoutes::setProvider(RequestContext& context, identity::OauthProviderBody body) {
  CO_RETURN_IF_ERROR(co_await identity_.oauthConfigs().setProvider(context.project, context.param(0), std::move(body),
                                                                   context.caller, context.deadline));
  co_return Reply::noContent();
}

Task<Reply> OauthRoutes::setRedirects(RequestContext& context, identity::OauthRedirectsBody body) {
  CO_RETURN_IF_ERROR(co_await identity_.oauthConfigs().setRedirects(context.project->info(), std::move(body),
                                                                    context.caller, context.deadline));
  co_return Reply::noContent();
}

}  // namespace mb::api
