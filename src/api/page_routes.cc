#include "api/page_routes.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "api/static_file.h"
#include "base/crypto.h"
#include "base/log.h"
#include "http/conditional.h"
#include "identity/redirect.h"
#include "outbound/outbound.h"

namespace mb::api {

namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'";
// The same, with the data: images of the developer tools' style sheets.
constexpr std::string_view kToolPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action "
    "'self'; "
    "frame-ancestors 'none'; base-uri 'none'";
constexpr std::string_view kApiPath = "/api";
constexpr std::string_view kLoginPath = "/auth/login";
constexpr std::string_view kImmutable = "public, max-age=31536000, immutable";
constexpr size_t kTagDigits = 32;

enum class Caching { noStore, revalidate };

struct ErrorText {
  std::string_view heading;
  std::string_view text;
};

ErrorText errorTextOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::missingProject:
      return {
          "This link is incomplete",
          "It does not say which app it belongs to. Go back to the app and start again from there. Operators of the "
          "app: a server with several projects needs the project's id or slug in the link, as in ?project=notes."};
    case ErrorCode::invalidParam:
      return {
          "This link cannot be used",
          "It is malformed, or it does not lead back to an address that the app has allowed. Go back to the app and "
          "start again from there. Operators of the app: the origin of the redirect must be an allowed one."};
    case ErrorCode::notFound:
      return {"There is nothing here", "Check the address, or go back to the app and start again from there."};
    case ErrorCode::projectSuspended:
      return {"This app is paused", "Signing in is not possible at the moment. Contact the operators of the app."};
    case ErrorCode::unavailable:
      return {"The server is busy", "Please try again in a moment."};
    default:
      return {"Something went wrong", "Please try again. If the problem persists, contact the operators of the app."};
  }
}

// Browsers list text/html in `accept`; other clients accept any type, or JSON.
bool isBrowser(const http::Request& request) {
  const auto accept = request.header("accept");
  return accept && accept->find("text/html") != std::string_view::npos;
}

std::string pathOf(std::string_view url) {
  const auto scheme = url.find("://");
  const auto slash = url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3);
  return slash == std::string_view::npos ? std::string() : std::string(url.substr(slash));
}

void addParameter(std::string& url, std::string_view name, std::string_view value) {
  url += url.find('?') == std::string::npos ? '?' : '&';
  url += name;
  url += '=';
  url += boost::urls::encode(value, boost::urls::unreserved_chars);
}

Reply htmlReply(const http::Request& request, int status, std::string html, Caching caching,
                std::string_view policy = kPolicy) {
  Reply reply{http::Response::text(status, "text/html; charset=utf-8", std::move(html))};
  auto& headers = reply.response.headers;
  headers.emplace_back("content-security-policy", policy);
  headers.emplace_back("cross-origin-opener-policy", "same-origin");
  headers.emplace_back("referrer-policy", "no-referrer");
  headers.emplace_back("x-content-type-options", "nosniff");
  headers.emplace_back("cache-control", caching == Caching::noStore ? "no-store" : "no-cache");
  if (status != 200) return reply;
  const std::string tag = "W/\"" + toHex(sha256(reply.response.body)).substr(0, kTagDigits) + "\"";
  headers.emplace_back("etag", tag);
  if (!http::isNotModified(request, tag)) return reply;
  reply.response.status = 304;
  reply.response.contentType = {};
  reply.response.body.clear();
  return reply;
}

}  // namespace

struct PageRoutes::Subject {
  snapshot::SnapshotPtr project;  // null: platform users
  pages::Frame frame;
};

PageRoutes::PageRoutes(PageDeps deps)
    : deps_(std::move(deps)), root_(pathOf(deps_.baseUrl)), controlOrigins_(deps_.settings.corsOrigins) {
  if (auto own = outbound::originOf(deps_.baseUrl)) controlOrigins_.push_back(*std::move(own));
}

void PageRoutes::addTo(RouteTable& routes) {
  routes.get(std::string(kLoginPath), open(), this, &PageRoutes::login, "The hosted page to sign in");
  routes.get("/reset-password", open(), this, &PageRoutes::resetPassword, "The hosted page for a new password");
  routes.get("/verify-email", open(), this, &PageRoutes::verifyEmail, "The hosted page that confirms an address");
  routes.get("/examples/oauth", open(), this, &PageRoutes::oauthExample, "An example of signing in");
  for (const std::string_view place : {"", "/p/:project"}) {
    routes.get(std::string(place) + "/docs", open(), this, &PageRoutes::reference,
               "The reference of the API, as a page");
    routes.get(std::string(place) + "/graphiql", open(), this, &PageRoutes::graphiql, "GraphiQL, as a page");
  }
  routes.get(std::string(pages::kAssetPath) + "/:version/:file", open(), this, &PageRoutes::asset,
             "Scripts, style sheets and images of the hosted pages");
}

Task<PageRoutes::Subject> PageRoutes::subjectOf(const RequestContext& context) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  const std::string_view plane = query.get("plane").value_or("");
  Subject subject;
  subject.frame.root = root_;
  if (plane == "control") {
    if (!deps_.settings.control) co_return fail(ErrorCode::notFound, "this path does not exist");
    subject.frame.plane = plane;
    co_return subject;
  }
  if (!plane.empty()) co_return fail(ErrorCode::invalidParam, "plane must be control, or absent");
  CO_TRY(subject.project, co_await deps_.gatekeeper.publicProject(context.request));
  subject.frame = frameOf(*subject.project);
  co_return subject;
}

pages::Frame PageRoutes::frameOf(const snapshot::ProjectSnapshot& project) const {
  const projects::ProjectRecord& record = deps_.gatekeeper.recordOf(project);
  pages::Frame frame;
  frame.root = root_;
  frame.project = project.info().id.str();
  frame.name = project.info().name;
  frame.colour = record.color.value.value_or("");
  frame.icon = record.icon.value.value_or("");
  return frame;
}

Task<Reply> PageRoutes::login(RequestContext& context) {
  Result<std::string> html = co_await loginHtml(context);
  if (!html) co_return problem(context.request, html.error());
  co_return htmlReply(context.request, 200, *std::move(html), Caching::revalidate);
}

Task<std::string> PageRoutes::loginHtml(const RequestContext& context) {
  CO_TRY(const Subject subject, co_await subjectOf(context));
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  const std::string redirect(query.get("redirect").value_or(""));
  if (!redirect.empty()) CO_RETURN_IF_ERROR(identity::checkRedirect(redirect, origins(subject)));
  // The form is submitted from this page, so the site that linked here does not matter.
  const bool local = deps_.local.hasLocalConnection(context.request);
  bool setupCode = false;
  if (!subject.project && !local) {
    CO_TRY(const bool setUp, co_await deps_.instance.hasFirstUser());
    setupCode = !setUp;
  }
  // The first user, who needs the set-up code, cannot register through a provider.
  const std::vector<pages::ProviderLink> links =
      setupCode ? std::vector<pages::ProviderLink>() : linksOf(subject, redirect);
  co_return pages::loginPage(subject.frame, {redirect, links, setupCode});
}

const std::vector<std::string>& PageRoutes::origins(const Subject& subject) const {
  return subject.project ? subject.project->get(deps_.oauth).allowedRedirects : controlOrigins_;
}

std::vector<pages::ProviderLink> PageRoutes::linksOf(const Subject& subject, const std::string& redirect) const {
  // A provider redirects the browser at the end: without a redirect to this page itself, if that is allowed.
  std::string target = redirect;
  if (target.empty()) {
    target = deps_.baseUrl + std::string(kLoginPath);
    addParameter(target, subject.project ? "project" : "plane", subject.project ? subject.frame.project : "control");
    if (!identity::checkRedirect(target, origins(subject))) return {};
  }
  std::vector<pages::ProviderLink> links;
  const auto add = [&](std::string_view provider) {
    std::string href = root_ + (subject.project ? "/api/v1/auth/oauth/" : "/api/v1/control/auth/oauth/");
    href.append(provider).append("/start");  // names need no encoding: identity::isProvider
    if (subject.project) addParameter(href, "project", subject.frame.project);
    addParameter(href, "redirect", target);
    links.push_back({pages::providerLabel(provider), std::move(href)});
  };
  if (!subject.project) {
    for (const std::string& provider : deps_.controlProviders) add(provider);
    return links;
  }
  for (const auto& [name, provider] : subject.project->get(deps_.oauth).providers) {
    if (provider.enabled) add(name);
  }
  return links;
}

Task<Reply> PageRoutes::mailed(const RequestContext& context, std::string (*page)(const pages::Frame&)) {
  const Result<Subject> subject = co_await subjectOf(context);
  if (!subject) co_return problem(context.request, subject.error());
  co_return htmlReply(context.request, 200, page(subject->frame), Caching::noStore);
}

Task<Reply> PageRoutes::resetPassword(RequestContext& context) {
  return mailed(context, &pages::resetPasswordPage);
}

Task<Reply> PageRoutes::verifyEmail(RequestContext& context) {
  return mailed(context, &pages::verifyEmailPage);
}

Task<Reply> PageRoutes::oauthExample(RequestContext& context) {
  pages::Frame frame;
  frame.root = root_;
  co_return htmlReply(context.request, 200, pages::oauthExamplePage(frame), Caching::revalidate);
}

Task<Reply> PageRoutes::tool(const RequestContext& context, std::string (*page)(const pages::Frame&)) {
  pages::Frame frame;
  frame.root = root_;
  if (!context.params.empty()) {
    const Result<snapshot::SnapshotPtr> project = co_await deps_.gatekeeper.namedProject(context.param(0));
    if (!project) co_return problem(context.request, project.error());
    frame = frameOf(**project);
  }
  co_return htmlReply(context.request, 200, page(frame), Caching::revalidate, kToolPolicy);
}

Task<Reply> PageRoutes::reference(RequestContext& context) {
  return tool(context, &pages::referencePage);
}

Task<Reply> PageRoutes::graphiql(RequestContext& context) {
  return tool(context, &pages::graphiqlPage);
}

Task<Reply> PageRoutes::asset(RequestContext& context) {
  const pages::Asset found = pages::findAsset(context.param(1));
  if (found.contentType.empty() || context.param(0) != pages::assetVersion()) {
    co_return fail(ErrorCode::notFound, "this path does not exist");
  }
  co_return staticFile(context.request, found, pages::assetVersion() + "-" + context.param(1), kImmutable);
}

std::optional<http::Response> PageRoutes::inPlaceOf404(const http::Request& request) const {
  const bool reads = request.method == http::Method::get || request.method == http::Method::head;
  const bool ofApi = request.path == kApiPath || request.path.starts_with(std::string(kApiPath) + "/");
  if (!reads || ofApi || !isBrowser(request)) return std::nullopt;
  pages::Frame frame;
  frame.root = root_;
  const bool home = request.path == "/";
  Reply reply = htmlReply(request, home ? 200 : 404,
                          home ? pages::homePage(frame, deps_.settings.control) : pages::missingPage(frame),
                          home ? Caching::revalidate : Caching::noStore);
  reply.response.headers.emplace_back("vary", "accept");
  return std::move(reply.response);
}

Reply PageRoutes::problem(const http::Request& request, const Error& error) const {
  const int status = meaningOf(error.code()).status;
  if (status >= 500) {
    logError(
        "hosted page could not be rendered",
        {{"requestId", request.id}, {"path", request.path}, {"message", error.message()}, {"cause", error.cause()}});
  }
  const ErrorText words = errorTextOf(error.code());
  pages::Frame frame;
  frame.root = root_;
  return htmlReply(request, status, pages::problemPage(frame, words.heading, words.text), Caching::noStore);
}

}  // namespace mb::api
