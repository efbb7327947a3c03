// Endpoints of projects' own: http functions under /api/v1/run/:project/…. Source: contract 4.7, 5.8, 7; decisions 7.
#pragma once

#include "api/api_settings.h"
#include "api/routes.h"
#include "api/run_message.h"
#include "functions/functions_runtime.h"
#include "identity/authenticator.h"

namespace mb::api {

class RunRoutes {
 public:
  // References outlive it.
  struct Deps {
    functions::FunctionsRuntime& runtime;
    snapshot::Snapshots& snapshots;
    identity::Authenticator& authenticator;
    std::string baseUrl;
    const ApiSettings& settings;
  };
  explicit RunRoutes(Deps deps);
  void addTo(RouteTable& routes);

  // Puts the project into the context. Fails with notFound (project, path), methodNotAllowed, projectSuspended,
  // functionsBusy, and for a request that cannot be read.
  Task<Reply> run(RequestContext& context);

 private:
  struct Visitor {
    std::optional<policy::Caller> caller;  // who has a token of this project
    bool known = false;                    // the token is this server's, whoever's it is
  };
  Task<snapshot::SnapshotPtr> projectOf(std::string name);
  // Never fails: whoever cannot be told is nobody.
  Async<Visitor> visitorOf(std::string token, store::ProjectNo project);
  functions::Origin originOf(const http::Request& request) const;
  const Deps deps_;
};

}  // namespace mb::api
