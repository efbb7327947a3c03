#include "api/sdk_routes.h"

#include "api/static_file.h"
#include "base/crypto.h"

namespace mb::api {

namespace {

// Versions of the server share the addresses, so caches must revalidate.
constexpr std::string_view kRevalidate = "no-cache";
constexpr size_t kSdkTagDigits = 32;

}  // namespace

SdkRoutes::File::File(const pages::Asset& asset)
    : content(asset), tag(toHex(sha256(asset.bytes)).substr(0, kSdkTagDigits)) {}

SdkRoutes::SdkRoutes() : module_(pages::sdkModule()), package_(pages::sdkPackage()) {}

void SdkRoutes::addTo(RouteTable& routes) {
  routes.get("/dashboard/sdk/manybase.mjs", open(), this, &SdkRoutes::sdkModule, "The TypeScript SDK as a module");
  routes.get("/dashboard/sdk/manybase.tgz", open(), this, &SdkRoutes::sdkPackage,
             "The TypeScript SDK as a package of npm");
}

Result<Reply> SdkRoutes::replyWith(const http::Request& request, const File& file) {
  TRY(Reply reply, staticFile(request, file.content, file.tag, kRevalidate));
  // Pages of all origins load it, those that are isolated from other origins included. A cache may keep it for requests
  // with and without an origin.
  reply.response.headers.emplace_back("access-control-allow-origin", "*");
  reply.response.headers.emplace_back("cross-origin-resource-policy", "cross-origin");
  return reply;
}

Task<Reply> SdkRoutes::sdkModule(RequestContext& context) {
  co_return replyWith(context.request, module_);
}

Task<Reply> SdkRoutes::sdkPackage(RequestContext& context) {
  co_return replyWith(context.request, package_);
}

}  // namespace mb::api
