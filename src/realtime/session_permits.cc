// The limits of a project's sockets, which a socket meets when it authenticates.
#include "plans/plans.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

constexpr std::string_view kFull = "plan limit: this project has reached its limit of realtime connections";

// nullopt: the plan does not limit the sockets of a project.
std::optional<size_t> maxSockets(const plans::PlanInForce& plan) {
  const std::optional<int64_t> max = plan.max(plans::Limit::realtimeConnections);
  return max ? std::optional(static_cast<size_t>(*max)) : std::nullopt;
}

// The message of a refusal by the plan. `taken`: the sockets that the project has.
std::string planRefusal(const plans::PlanInForce& plan, size_t taken) {
  constexpr auto kLimit = plans::Limit::realtimeConnections;
  return plans::exceeded(plan, kLimit, *plan.max(kLimit), static_cast<int64_t>(taken)).message();
}

}  // namespace

bool Session::enter(const identity::Identified& who) {
  const store::ProjectNo project = who.caller.project;
  const plans::PlanInForce& plan = who.project->get(hub_.deps().plan);
  const std::optional<size_t> max = maxSockets(plan);
  if (state_ != State::open && project != project_->number()) {
    sendError(Code::authFailed, "this socket belongs to another project");
    return false;
  }
  if (who.caller.kind == policy::CallerKind::anonymous && !takeAnonymousPermits(project, max)) {
    end(Code::connectionLimit, "limit: this address or project has too many connections without a token");
    return false;
  }
  if (project_ && project_->number() == project) return true;
  permit_.reset();
  auto permit = hub_.shared().connections->take(project, max);
  if (!permit) {
    end(Code::connectionLimit, max && permit.error() >= *max ? planRefusal(plan, permit.error()) : std::string(kFull));
    return false;
  }
  permit_ = *std::move(permit);
  unknownPermit_.reset();
  project_ = hub_.project(project);
  return true;
}

bool Session::takeAnonymousPermits(store::ProjectNo project, std::optional<size_t> max) {
  if (anonymousPermits_) return true;
  auto ofAddress = hub_.shared().anonymous->take(origin_.address);
  auto ofProject = hub_.shared().anonymousOfProject->take(project, max ? std::optional(*max / 2) : std::nullopt);
  if (!ofAddress || !ofProject) return false;
  anonymousPermits_ = AnonymousPermits{*std::move(ofAddress), *std::move(ofProject)};
  return true;
}

}  // namespace mb::realtime
