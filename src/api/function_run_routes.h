// Running functions by hand, and what became of runs. Source: contract 4.5 ("Functions"); decisions 5 and 8.
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

  // Without a body too. Enabled or not: whoever may do this means it.
  Task<Reply> invoke(RequestContext& context);
  Task<Reply> logs(RequestContext& context);
  Task<Reply> stats(RequestContext& context);
  Task<Reply> runTests(RequestContext& context);

 private:
  functions::FunctionsRuntime& runtime_;
};

}  // namespace mb::api
