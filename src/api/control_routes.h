// /api/v1/control: setup status, me, projects, members, token exchange (docs/api.md, Control plane).
#pragma once

#include "api/local_requests.h"
#include "api/routes.h"
#include "projects/instance.h"
#include "projects/members.h"
#include "projects/own_databases.h"
#include "projects/projects.h"

namespace mb::api {

// The caller, of a request with a control token.
inline projects::By by(const RequestContext& context) {
  return {context.caller, context.deadline};
}

class ControlRoutes {
 public:
  // `billing`: whether the deployment has billing.
  ControlRoutes(projects::Projects& projects, projects::Members& members, projects::Instance& instance,
                projects::OwnDatabases& databases, LocalRequests local, bool billing = false)
      : projects_(projects),
        members_(members),
        instance_(instance),
        databases_(databases),
        local_(local),
        billing_(billing) {}
  void addTo(RouteTable& routes);

  Task<Reply> setupStatus(RequestContext& context);
  Task<Reply> me(RequestContext& context);
  Task<Reply> changeMe(RequestContext& context, projects::AccountPatch body);

  Task<Reply> listProjects(RequestContext& context);
  Task<Reply> createProject(RequestContext& context, projects::NewProject body);
  Task<Reply> project(RequestContext& context);
  Task<Reply> changeProject(RequestContext& context, projects::ProjectPatch body);
  Task<Reply> removeProject(RequestContext& context);
  Task<Reply> checkDatabase(RequestContext& context);
  Task<Reply> suspend(RequestContext& context);
  Task<Reply> resume(RequestContext& context);
  Task<Reply> token(RequestContext& context);

  Task<Reply> listMembers(RequestContext& context);
  Task<Reply> addMember(RequestContext& context, projects::NewMember body);
  Task<Reply> changeMember(RequestContext& context, projects::MemberPatch body);
  Task<Reply> removeMember(RequestContext& context);
  Task<Reply> cancelInvite(RequestContext& context);

 private:
  projects::Projects& projects_;
  projects::Members& members_;
  projects::Instance& instance_;
  projects::OwnDatabases& databases_;
  const LocalRequests local_;
  const bool billing_;
};

}  // namespace mb::api
