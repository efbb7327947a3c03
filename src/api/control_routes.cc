#include "api/control_routes.h"

#include "api/config_routes.h"

namespace mb::api {

void ControlRoutes::addTo(RouteTable& routes) {
  routes.get("/api/v1/control/setup-status", open(), this, &ControlRoutes::setupStatus, "First-run probe");
  routes.get("/api/v1/control/me", control(), this, &ControlRoutes::me, "The platform user and their memberships");
  routes.patch("/api/v1/control/me", control(), this, &ControlRoutes::changeMe, "Change your account");

  routes.get("/api/v1/control/projects", control(), this, &ControlRoutes::listProjects, "List your projects");
  routes.post("/api/v1/control/projects", control(), this, &ControlRoutes::createProject, "Create a project");
  routes.get("/api/v1/control/projects/:id", control(), this, &ControlRoutes::project, "Read a project");
  routes.patch("/api/v1/control/projects/:id", control(), this, &ControlRoutes::changeProject, "Change a project");
  routes.remove("/api/v1/control/projects/:id", control(), this, &ControlRoutes::removeProject, "Delete a project");
  routes.post("/api/v1/control/projects/:id/suspend", control(), this, &ControlRoutes::suspend, "Suspend a project");
  routes.post("/api/v1/control/projects/:id/resume", control(), this, &ControlRoutes::resume, "Resume a project");
  routes.post("/api/v1/control/projects/:id/database/check", control(), this, &ControlRoutes::checkDatabase,
              "Probe the project's own database");
  routes.post("/api/v1/control/projects/:id/token", control(), this, &ControlRoutes::token,
              "Exchange the control token for a project token");

  routes.get("/api/v1/control/projects/:id/members", control(), this, &ControlRoutes::listMembers,
             "List members and pending invites");
  routes.post("/api/v1/control/projects/:id/members", control(), this, &ControlRoutes::addMember,
              "Add or invite a member");
  routes.patch("/api/v1/control/projects/:id/members/:userId", control(), this, &ControlRoutes::changeMember,
               "Change a member's role");
  routes.remove("/api/v1/control/projects/:id/members/:userId", control(), this, &ControlRoutes::removeMember,
                "Remove a member");
  routes.remove("/api/v1/control/projects/:id/members/pending/:email", control(), this, &ControlRoutes::cancelInvite,
                "Cancel a pending invite");
}

Task<Reply> ControlRoutes::setupStatus(RequestContext& context) {
  CO_TRY(const projects::SetupStatus status, co_await instance_.setupStatus(local_.isLocal(context.request)));
  co_return Reply::object(200, status);
}

Task<Reply> ControlRoutes::me(RequestContext& context) {
  CO_TRY(const identity::UserRecord user, co_await instance_.user(context.caller.id));
  CO_TRY(const projects::AccountMemberships accountMemberships, co_await projects_.accountMemberships(by(context)));
  doc::BsonWriter out;
  doc::encodeValue(out, "user", identity::viewOf(user));
  doc::encodeValue(out, "organizations", accountMemberships.organizations);
  doc::encodeValue(out, "memberships", accountMemberships.memberships);
  if (billing_ || user.notifyLimits) out.appendBool("notifyLimits", user.notifyLimits.value_or(true));
  co_return Reply::object(200, out.finish());
}

Task<Reply> ControlRoutes::changeMe(RequestContext& context, projects::AccountPatch body) {
  CO_RETURN_IF_ERROR(co_await instance_.changeUser(by(context), body));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::listProjects(RequestContext& context) {
  CO_TRY(const auto projects, co_await projects_.list(by(context)));
  co_return Reply::list("projects", projects);
}

Task<Reply> ControlRoutes::createProject(RequestContext& context, projects::NewProject body) {
  CO_TRY(const auto project, co_await projects_.create(by(context), std::move(body)));
  co_return Reply::entity(201, "project", project);
}

Task<Reply> ControlRoutes::project(RequestContext& context) {
  CO_TRY(const auto project, co_await projects_.detail(by(context), context.param(0)));
  co_return Reply::entity(200, "project", project);
}

Task<Reply> ControlRoutes::changeProject(RequestContext& context, projects::ProjectPatch body) {
  CO_TRY(const http::QueryParams query, http::QueryParams::parse(context.request.query));
  CO_TRY(const bool force, flagIn(query, "force"));
  CO_RETURN_IF_ERROR(co_await projects_.change(by(context), context.param(0), std::move(body), force));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::removeProject(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await projects_.remove(by(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::checkDatabase(RequestContext& context) {
  CO_TRY(const auto check, co_await databases_.check(by(context), context.param(0)));
  co_return Reply::object(200, check);
}

Task<Reply> ControlRoutes::suspend(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await projects_.suspend(by(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::resume(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await projects_.resume(by(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::token(RequestContext& context) {
  CO_TRY(const auto token, co_await projects_.token(by(context), context.param(0)));
  co_return Reply::object(200, token);
}

Task<Reply> ControlRoutes::listMembers(RequestContext& context) {
  CO_TRY(const auto members, co_await members_.list(by(context), context.param(0)));
  co_return Reply::list("members", members);
}

Task<Reply> ControlRoutes::addMember(RequestContext& context, projects::NewMember body) {
  CO_TRY(const auto member, co_await members_.add(by(context), context.param(0), std::move(body)));
  co_return Reply::entity(201, "member", member);
}

Task<Reply> ControlRoutes::changeMember(RequestContext& context, projects::MemberPatch body) {
  CO_RETURN_IF_ERROR(
      co_await members_.changeRole(by(context), context.param(0), context.param(1), std::move(body.role)));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::removeMember(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await members_.remove(by(context), context.param(0), context.param(1)));
  co_return Reply::noContent();
}

Task<Reply> ControlRoutes::cancelInvite(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await members_.cancelInvite(by(context), context.param(0), context.param(1)));
  co_return Reply::noContent();
}

}  // namespace mb::api
