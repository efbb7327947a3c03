#include "api/dashboard_routes.h"

#include "api/session_cookie.h"
#include "api/static_file.h"
#include "base/crypto.h"
#include "http/conditional.h"
#include "pages/pages.h"

namespace mb::api {

namespace {

// Images may also be data: and blob: addresses, which previews of files are.
constexpr std::string_view kDashboardPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "require-trusted-types-for 'script'";
constexpr std::string_view kPermissions = "camera=(), microphone=(), geolocation=(), clipboard-write=(self)";
constexpr std::string_view kForEver = "public, max-age=31536000, immutable";
constexpr size_t kPageTagDigits = 32;

Error noSuchPath() {
  return Error(ErrorCode::notFound, "this path does not exist");
}

}  // namespace

DashboardRoutes::DashboardRoutes(std::string_view baseUrl, bool control)
    : control_(control),
      page_(pages::dashboardPage(basePathOf(baseUrl))),
      tag_("W/\"" + toHex(sha256(page_)).substr(0, kPageTagDigits) + "\"") {}

void DashboardRoutes::addTo(RouteTable& routes) {
  sdk_.addTo(routes);
  routes.get("/dashboard/assets/:file", open(), this, &DashboardRoutes::asset, "A file that the dashboard loads");
  for (const std::string_view pattern : {"/dashboard", "/dashboard/", "/dashboard/*path"}) {
    routes.get(std::string(pattern), open(), this, &DashboardRoutes::page, "The dashboard, as a page");
  }
}

Task<Reply> DashboardRoutes::page(RequestContext& context) {
  // Files have addresses of their own: a page in place of a missing one would hide the mistake.
  const std::string_view below = context.params.empty() ? std::string_view() : context.param(0);
  const std::string_view first = below.substr(0, below.find('/'));
  if (!control_ || first == "assets" || first == "sdk") co_return fail(noSuchPath());
  const bool known = http::isNotModified(context.request, tag_);
  Reply reply{known ? http::Response::empty(304) : http::Response::text(200, "text/html; charset=utf-8", page_)};
  auto& headers = reply.response.headers;
  headers.emplace_back("content-security-policy", kDashboardPolicy);
  headers.emplace_back("cross-origin-opener-policy", "same-origin");
  headers.emplace_back("permissions-policy", kPermissions);
  headers.emplace_back("referrer-policy", "no-referrer");
  headers.emplace_back("x-content-type-options", "nosniff");
  headers.emplace_back("cache-control", "no-cache");
  headers.emplace_back("etag", tag_);
  co_return reply;
}

Task<Reply> DashboardRoutes::asset(RequestContext& context) {
  const pages::Asset file = control_ ? pages::findDashboardFile(context.param(0)) : pages::Asset();
  if (file.contentType.empty()) co_return fail(noSuchPath());
  // The name contains a hash of the content.
  co_return staticFile(context.request, file, context.param(0), kForEver);
}

}  // namespace mb::api
