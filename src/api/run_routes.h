// The endpoints of projects: http functions under /api/v1/run/:project/… (docs/functions.md, Endpoints).
#pragma once

#include "api/api_settings.h"
#include "api/routes.h"
#include "api/run_message.h"
#include "functions/runner.h"
#include "identity/authenticator.h"

namespace mb::api {

// References outlive the RunRoutes.
struct RunRoutesDeps {
  functions::Runner& runner;
  snapshot::SlotKey<functions::FunctionTable> functions;
  snapshot::Snapshots& snapshots;
  identity::Authenticator& authenticator;
  std::string baseUrl;
  const ApiSettings& settings;
};

class RunRoutes {
 public:
  explicit RunRoutes(RunRoutesDeps deps);
  void addTo(RouteTable& routes);

  // Sets the project of the context. Fails with notFound (project, path), methodNotAllowed, projectSuspended,
  // functionsBusy, planRunLimit, and if the request cannot be parsed.
  Task<Reply> run(RequestContext& context);

 private:
  struct TokenLookup {
    std::optional<policy::Caller> caller;  // set if the token is one of this project
    bool isOwn = false;                    // the token was issued by this server, for any project or plane
  };
  Task<snapshot::SnapshotPtr> projectOf(std::string name);
  // Never fails: the caller of an unknown token is anonymous.
  Async<TokenLookup> lookUpToken(std::string token, store::ProjectNo project);
  functions::Origin originOf(const http::Request& request) const;
  const RunRoutesDeps deps_;
};

}  // namespace mb::api
