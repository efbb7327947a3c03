// The TypeScript SDK that fits this server, for apps: /dashboard/sdk/manybase.mjs and manybase.tgz (docs/sdk.md).
#pragma once

#include <string>

#include "api/routes.h"
#include "pages/pages.h"

namespace mb::api {

// Any core.
class SdkRoutes {
 public:
  SdkRoutes();
  void addTo(RouteTable& routes);

  Task<Reply> sdkModule(RequestContext& context);
  Task<Reply> sdkPackage(RequestContext& context);

 private:
  struct File {
    explicit File(const pages::Asset& asset);
    pages::Asset content;
    std::string tag;  // of the content
  };
  static Result<Reply> replyWith(const http::Request& request, const File& file);

  const File module_;
  const File package_;
};

}  // namespace mb::api
