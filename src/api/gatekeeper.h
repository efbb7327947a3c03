// The gates of a route: who asks, for which project, and whether they may. Source: contract 4 ("Project selection"), 5;
// decisions 3 and 8.
#pragma once

#include <optional>

#include "api/api_settings.h"
#include "api/routes.h"
#include "identity/authenticator.h"
#include "identity/rate_limiter.h"
#include "projects/project_types.h"

namespace mb::api {

// All references outlive it. Any core.
struct GateDeps {
  const ApiSettings& settings;
  identity::Authenticator& authenticator;
  identity::RateLimiter& rateLimiter;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<projects::ProjectRecord> record;
  bool operatorsEnabled = false;
};

// The token of "authorization: Bearer …"; empty without one.
std::string_view bearerOf(const http::Request& request);
// Whether a text can be an id or a slug; nothing else is looked up.
bool mayNameProject(std::string_view text);

class Gatekeeper {
 public:
  explicit Gatekeeper(GateDeps deps) : deps_(deps) {}

  // The caller and the project, where that needs no waiting; nullopt: ask identify(). Fails with unauthenticated.
  std::optional<Result<identity::Identified>> identifyNow(const Route& route, const http::Request& request);
  // Fails with unauthenticated, notFound (unknown project), missingProject, projectSuspended.
  Task<identity::Identified> identify(const Route& route, const http::Request& request);
  // Plane, scope, permission and project. Fails with forbidden, projectMismatch, projectSuspended; notFound for
  // operator routes where there are no operators.
  Result<> admit(const Route& route, const RequestContext& context);
  // Counts a request against its action's limit, under no project where none was found; nullopt where the route has no
  // limit.
  std::optional<identity::Allowance> count(const Route& route, std::string_view ip,
                                           const snapshot::ProjectSnapshot* project);

  // The project that a request without a token is about: header, query, default, the only one. Active. Fails with
  // missingProject, notFound, projectSuspended.
  Task<snapshot::SnapshotPtr> publicProject(const http::Request& request);
  // The one that a path names, by id or slug. Active. Fails with notFound, projectSuspended.
  Task<snapshot::SnapshotPtr> namedProject(std::string named);

  const projects::ProjectRecord& recordOf(const snapshot::ProjectSnapshot& project) const {
    return project.get(deps_.record);
  }

 private:
  enum class Named { headerFirst, queryFirst };
  Task<snapshot::SnapshotPtr> anonymousProject(const http::Request& request, Named named);
  Task<snapshot::SnapshotPtr> findProject(std::string named);
  Result<> admitCaller(const Gate& gate, const RequestContext& context) const;
  Result<> admitProject(const RequestContext& context) const;

  GateDeps deps_;
};

}  // namespace mb::api
