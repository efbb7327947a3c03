// The control plane: projects, members, environments, connections, operators.
#include "api/job_routes.h"
#include "api/route_docs.h"
#include "connections/connection_types.h"
#include "connections/kinds.h"
#include "identity/user_types.h"
#include "projects/operators.h"
#include "projects/project_types.h"

namespace mb::api {

namespace {

using enum ErrorCode;
using http::Method;

constexpr std::string_view kMe = R"({
  "type": "object",
  "properties": {
    "user": {"$ref": "#/components/schemas/User"},
    "organizations": {"type": "array", "items": {"$ref": "#/components/schemas/Organization"}},
    "memberships": {"type": "array", "items": {"$ref": "#/components/schemas/Membership"}},
    "notifyLimits": {"type": "boolean", "examples": [true],
      "description": "Whether limits that are near or reached are mailed to the user; without billing, once it was set."}
  },
  "required": ["user", "organizations", "memberships"]
})";

std::vector<RouteDoc> projectDocs() {
  using namespace projects;
  const std::string all = "/api/v1/control/projects";
  const std::string one = all + "/:id";
  return {
      {Method::get, "/api/v1/control/setup-status", "setupStatus", {whole<SetupStatus>()}},
      {Method::get,
       "/api/v1/control/me",
       "me",
       {like(kMe)},
       {},
       {},
       {.mentions = {&doc::shapeInfo<identity::UserView>, &doc::shapeInfo<OrganizationView>,
                     &doc::shapeInfo<MembershipView>}}},
      {Method::patch, "/api/v1/control/me", "updateMe", {kNothing}},
      {Method::get, all, "listProjects", {listOf<ProjectView>("projects")}},
      {Method::post,
       all,
       "createProject",
       {entity<ProjectView>("project", 201)},
       {forbidden, conflict, planLimit, unavailable}},
      {Method::post,
       one + "/database/check",
       "checkProjectDatabase",
       {whole<DatabaseCheck>()},
       {forbidden, unavailable}},
      {Method::get, one, "getProject", {entity<ProjectView>("project")}},
      {Method::patch, one, "updateProject", {kNothing}, {forbidden, conflict, unavailable}, {"force"}},
      {Method::remove, one, "deleteProject", {kNothing}, {forbidden, conflict}},
      {Method::post, one + "/suspend", "suspendProject", {kNothing}, {forbidden, conflict}},
      {Method::post, one + "/resume", "resumeProject", {kNothing}, {forbidden, conflict}},
      {Method::post,
       one + "/transfer",
       "offerTransfer",
       {{.status = 202, .meaning = "Offered: that user can accept it for 7 days."},
        {.status = 204, .meaning = "Moved to your own organization."}},
       {forbidden, conflict, planLimit}},
      {Method::post, one + "/transfer/accept", "acceptTransfer", {kNothing}, {conflict, planLimit}},
      {Method::remove, one + "/transfer", "withdrawTransfer", {kNothing}, {forbidden}},
      {Method::post, one + "/token", "createProjectToken", {whole<ProjectToken>()}, {forbidden, projectSuspended}},
      {Method::get, one + "/members", "listMembers", {listOf<MemberView>("members")}},
      {Method::post, one + "/members", "addMember", {entity<MemberView>("member", 201)}, {forbidden, conflict}},
      {Method::patch, one + "/members/:userId", "updateMember", {kNothing}, {forbidden, conflict}},
      {Method::remove, one + "/members/:userId", "removeMember", {kNothing}, {forbidden, conflict}},
      {Method::remove, one + "/members/pending/:email", "cancelInvite", {kNothing}, {forbidden, conflict}},
      {Method::post,
       one + "/environments",
       "createEnvironment",
       {entity<ProjectView>("project", 201)},
       {forbidden, conflict, planLimit, projectSuspended, unavailable}},
      {Method::post,
       "/api/v1/control/environments/promote",
       "promote",
       {like(kImportPlan)},
       {forbidden, notFound, projectSuspended, conflict, testsFailed, invalidParam},
       {"dryRun", "plan", "allowMissing", "skipTests"}},
  };
}

std::vector<RouteDoc> connectionDocs() {
  using connections::ConnectionView;
  const std::string own = "/api/v1/control/connections";
  const std::string ofProject = "/api/v1/control/projects/:id/connections";
  return {
      {Method::get, own + "/kinds", "listConnectionKinds", {listOf<connections::Kind>("kinds")}},
      {Method::get, own, "listConnections", {listOf<ConnectionView>("connections")}},
      {Method::post, own, "createConnection", {entity<ConnectionView>("connection", 201)}, {conflict}},
      {Method::patch, own + "/:id", "updateConnection", {kNothing}, {conflict}},
      {Method::remove, own + "/:id", "deleteConnection", {kNothing}, {conflict}},
      {Method::get, ofProject, "listProjectConnections", {listOf<ConnectionView>("connections")}},
      {Method::post, ofProject, "createProjectConnection", {entity<ConnectionView>("connection", 201)}, {conflict}},
  };
}

std::vector<RouteDoc> operatorDocs() {
  const std::string at = "/api/v1/control/admin";
  const std::string dead = "/api/v1/control/jobs/dead";
  return {
      {Method::get, at + "/users", "listPlatformUsers", {listOf<identity::UserView>("users")}, {}, {"limit", "skip"}},
      {Method::get, at + "/operators", "listOperators", {listOf<projects::OperatorView>("operators")}},
      {Method::post, at + "/operators", "addOperator", {entity<projects::OperatorView>("operator", 201)}, {conflict}},
      {Method::remove, at + "/operators/:email", "revokeOperator", {kNothing}, {conflict}},
      {Method::get, dead, "listDeadJobs", {listOf<DeadJobView>("jobs")}, {}, {"limit", "skip"}},
      {Method::post, dead + "/:id/retry", "retryDeadJob", {kNothing}, {conflict}},
      {Method::remove, dead + "/:id", "discardDeadJob", {kNothing}, {conflict}},
  };
}

}  // namespace

std::vector<RouteDoc> controlDocs() {
  std::vector<RouteDoc> docs = projectDocs();
  for (std::vector<RouteDoc> more : {connectionDocs(), operatorDocs()}) {
    docs.insert(docs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return docs;
}

}  // namespace mb::api
