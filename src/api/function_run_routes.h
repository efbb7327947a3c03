// Runs functions on request; logs and figures of runs (docs/api.md, Functions).
#pragma once

#include "api/routes.h"
#include "functions/functions_runtime.h"

namespace mb::api {

struct InvokeBody {
  std::optional<doc::Value> payload;
  static constexpr auto shape() {
    return doc::shape<InvokeBody>("FunctionInvocation", doc::field("payload", &InvokeBody::payload));
  }
};

class FunctionRunRoutes {
 public:
  explicit FunctionRunRoutes(functions::FunctionsRuntime& runtime) : runtime_(runtime) {}
  void addTo(RouteTable& routes);

  // The body is optional. Also runs a disabled function: the permission to invoke includes that.
  Task<Reply> invoke(RequestContext& context);
  Task<Reply> logs(RequestContext& context);
  Task<Reply> retry(RequestContext& context);
  Task<Reply> stats(RequestContext& context);
  Task<Reply> runTests(RequestContext& context);

 private:
  functions::FunctionsRuntime& runtime_;
};

}  // namespace mb::api
