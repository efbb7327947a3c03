#include "api/cors.h"

#include <algorithm>

#include "projects/project_rules.h"

namespace mb::api {

namespace {

constexpr std::string_view kMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
constexpr std::string_view kHeaders =
    "authorization, content-type, x-service-project, x-request-id, if-match, if-none-match, if-range, "
    "prefer, range, tus-resumable, upload-length, upload-metadata, upload-offset, x-service-metadata, "
    "x-service-explain";
constexpr std::string_view kExposed =
    "date, x-request-id, x-service-run, retry-after, ratelimit, ratelimit-policy, etag, accept-ranges, content-range, "
    "content-disposition, preference-applied, "
    "location, tus-resumable, tus-version, tus-extension, upload-offset, upload-length, upload-metadata, "
    "upload-expires";
constexpr std::string_view kPreflightSeconds = "7200";

// "https://host:port" of a URL, without its path.
std::string originOf(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, url.find('/', scheme + 3)));
}

void allowOne(http::Response& response, std::string_view origin) {
  response.headers.emplace_back("access-control-allow-origin", origin);
  response.headers.emplace_back("vary", "origin");
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

Cors::Cors(std::string_view baseUrl, std::vector<std::string> controlOrigins)
    : controlOrigins_(std::move(controlOrigins)) {
  controlOrigins_.push_back(originOf(baseUrl));
}

CorsPlane Cors::planeOf(const std::vector<std::string>& segments) {
  const bool control = segments.size() > 2 && (segments[2] == "control" || segments[2] == "admin");
  return control ? CorsPlane::control : CorsPlane::data;
}

bool Cors::allowsControl(std::string_view origin) const {
  return contains(controlOrigins_, origin);
}

http::Response Cors::preflight(CorsPlane plane, std::string_view origin) const {
  http::Response response = http::Response::empty(204);
  if (plane == CorsPlane::control && !allowsControl(origin)) {
    response.headers.emplace_back("vary", "origin");
    return response;
  }
  // A preflight names no project: the response to the request itself says which origins the project allows.
  if (plane == CorsPlane::data) {
    response.headers.emplace_back("access-control-allow-origin", "*");
  } else {
    allowOne(response, origin);
  }
  response.headers.emplace_back("access-control-allow-methods", kMethods);
  response.headers.emplace_back("access-control-allow-headers", kHeaders);
  response.headers.emplace_back("access-control-max-age", kPreflightSeconds);
  return response;
}

void Cors::decorate(http::Response& response, CorsPlane plane, std::string_view origin,
                    const std::vector<std::string>& projectOrigins) const {
  const bool any = projectOrigins.empty() || contains(projectOrigins, projects::kAnyOrigin);
  if (plane == CorsPlane::data && any) {
    response.headers.emplace_back("access-control-allow-origin", "*");
  } else {
    const bool allowed = plane == CorsPlane::data ? contains(projectOrigins, origin) : allowsControl(origin);
    if (!allowed) {
      response.headers.emplace_back("vary", "origin");
      return;
    }
    allowOne(response, origin);
  }
  response.headers.emplace_back("access-control-expose-headers", kExposed);
}

}  // namespace mb::api
