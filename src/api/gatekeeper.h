// The Gatekeeper applies the gate of a route: it identifies the caller and the project, and checks that the caller may
// use the route.
#pragma once

#include <optional>

#include "api/api_settings.h"
#include "api/routes.h"
#include "data/collection_table.h"
#include "identity/authenticator.h"
#include "identity/rate_limiter.h"
#include "projects/project_types.h"

namespace mb::api {

// All references outlive the Gatekeeper. Any core.
struct GateDeps {
  const ApiSettings& settings;
  identity::Authenticator& authenticator;
  identity::RateLimiter& rateLimiter;
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<projects::ProjectRecord> record;
  snapshot::SlotKey<data::CollectionTable> collections;
  identity::RateLimiter& publicRateLimiter;  // of requests without a token that public rules serve
  bool operatorsEnabled = false;
};

// The token of "authorization: Bearer …"; empty without one.
std::string_view bearerOf(const http::Request& request);
// Whether `text` can be a project's id or slug. Other texts are not looked up.
bool isValidProjectName(std::string_view text);

class Gatekeeper {
 public:
  explicit Gatekeeper(GateDeps deps) : deps_(deps) {}

  // The caller and the project, if the caches have them; nullopt: call identify(). Fails with unauthenticated.
  std::optional<Result<identity::Identified>> identifyNow(const Route& route, const http::Request& request);
  // `params`: the path's. Fails with unauthenticated, notFound (unknown project), missingProject, projectSuspended.
  Task<identity::Identified> identify(const Route& route, const http::Request& request,
                                      const std::vector<std::string>& params);
  // Checks plane, scope, permission and project. Fails with forbidden, projectMismatch, projectSuspended; with notFound
  // for operator routes if operators are disabled.
  Result<> admit(const Route& route, const RequestContext& context);
  // Counts a request against its limit; nullopt if it counts against none, or its handler counts it. Null `who`: the
  // caller or the project was not found.
  std::optional<CountedRequest> count(const Route& route, const http::Request& request, std::string_view ip,
                                      const identity::Identified* who);

  // The project of a request without a token: that of the header, the query, the default, or the only one. It is
  // active. Fails with missingProject, notFound, projectSuspended.
  Task<snapshot::SnapshotPtr> publicProject(const http::Request& request);
  // The id or slug by which publicProject() finds the project; "" for the only one, nullopt for an invalid one.
  std::optional<std::string> publicProjectName(const http::Request& request) const;
  // The project with this id or slug. It is active. Fails with notFound, projectSuspended.
  Task<snapshot::SnapshotPtr> namedProject(std::string named);

  const projects::ProjectRecord& recordOf(const snapshot::ProjectSnapshot& project) const {
    return project.get(deps_.record);
  }

 private:
  // REQUIRES: `order` is not none.
  Task<snapshot::SnapshotPtr> anonymousProject(const http::Request& request, ProjectLookup order);
  Task<snapshot::SnapshotPtr> findProject(std::string named);
  // The project of a request without a token that a public rule serves. Fails with unauthenticated, and
  // invalidParam for a query that cannot be parsed.
  Task<snapshot::SnapshotPtr> publiclyServed(const Route& route, const http::Request& request,
                                             const std::vector<std::string>& params);
  Result<> admitCaller(const Gate& gate, const RequestContext& context) const;
  Result<> admitProject(const RequestContext& context) const;

  GateDeps deps_;
};

}  // namespace mb::api
