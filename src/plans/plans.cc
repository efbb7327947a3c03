#include "plans/plans.h"

#include <fmt/format.h>

namespace mb::plans {

namespace {

std::string_view wordsOf(Limit limit) {
  switch (limit) {
    case Limit::maxProjects:
      return "projects";
    case Limit::storageBytes:
      return "bytes of files";
    case Limit::functionRunsPerMonth:
      return "function runs in a month";
    case Limit::vectors:
      return "vectors";
    case Limit::realtimeConnections:
      return "realtime connections";
    case Limit::environmentsPerProject:
      return "environments of a project";
  }
  return "";
}

}  // namespace

std::string_view nameOf(Limit limit) {
  switch (limit) {
    case Limit::maxProjects:
      return "maxProjects";
    case Limit::storageBytes:
      return "storageBytes";
    case Limit::functionRunsPerMonth:
      return "functionRunsPerMonth";
    case Limit::vectors:
      return "vectors";
    case Limit::realtimeConnections:
      return "realtimeConnections";
    case Limit::environmentsPerProject:
      return "environmentsPerProject";
  }
  return "";
}

std::optional<int64_t>& Limits::at(Limit limit) {
  return memberOf(limit, maxProjects, storageBytes, functionRunsPerMonth, vectors, realtimeConnections,
                  environmentsPerProject)
      .value;
}

Task<std::shared_ptr<const void>> Unlimited::load(snapshot::ProjectInfo) {
  co_return std::shared_ptr<const void>(std::make_shared<const PlanInForce>());
}

Error exceeded(const PlanInForce& plan, Limit limit, int64_t max, int64_t use) {
  const ErrorCode code = limit == Limit::functionRunsPerMonth ? ErrorCode::planRunLimit : ErrorCode::planLimit;
  return Error(code, fmt::format("plan limit: {}: the plan {} allows {} {}, in use are {}", nameOf(limit), plan.name,
                                 max, wordsOf(limit), use));
}

}  // namespace mb::plans
