// Functions, integrations, webhooks, variables.
#include "api/function_run_routes.h"
#include "api/route_docs.h"
#include "functions/function_types.h"
#include "functions/run_log.h"
#include "functions/tests_run.h"
#include "integrations/integration_types.h"
#include "variables/variables.h"
#include "webhooks/webhook_types.h"

namespace mb::api {

namespace {

using enum ErrorCode;
using http::Method;

constexpr std::string_view kProviders = R"({
  "type": "object",
  "properties": {"providers": {"type": "array", "items": {
    "type": "object",
    "properties": {
      "provider": {"type": "string", "examples": ["http"]},
      "label": {"type": "string", "examples": ["HTTP"]},
      "config": {"type": "object", "description": "A schema of each field of its configuration.",
                 "examples": [{"baseUrl": {"type": "string"}}]},
      "secrets": {"type": "array", "description": "Names of its secrets.", "examples": [["authorization"]]},
      "ops": {"type": "array", "description": "Its operations and their arguments.", "items": {
        "type": "object",
        "properties": {"name": {"type": "string", "examples": ["get"]}, "args": {"type": "object", "examples": [{"path": {"type": "string"}}]}},
        "required": ["name", "args"]
      }}
    },
    "required": ["provider", "label", "config", "secrets", "ops"]
  }}},
  "required": ["providers"]
})";

std::vector<RouteDoc> definitionDocs() {
  using namespace functions;
  const std::string all = "/api/v1/admin/functions";
  const std::string one = all + "/:name";
  return {
      {Method::get, all, "listFunctions", {listOf<FunctionView>("functions")}},
      {Method::post, all, "createFunction", {entity<FunctionView>("function", 201)}, {conflict, payloadTooLarge}},
      {Method::get, all + "/stats", "functionStats", {listOf<FunctionStats>("functions")}},
      {Method::get, one, "getFunction", {entity<FunctionView>("function")}},
      {Method::patch, one, "updateFunction", {kNothing}, {conflict}},
      {Method::remove, one, "deleteFunction", {kNothing}, {conflict}},
      {Method::get, one + "/logs", "listRuns", {listOf<RunView>("runs")}, {}, {"limit"}},
      {Method::get, one + "/versions", "listFunctionVersions", {listOf<VersionView>("versions")}, {}, {"limit"}},
      {Method::get, one + "/versions/:version", "getFunctionVersion", {entity<VersionView>("version")}},
      {Method::post, one + "/rollback", "rollbackFunction", {entity<FunctionView>("function")}, {conflict}},
      {Method::post,
       one + "/invoke",
       "invokeFunction",
       {entity<RunView>("run")},
       {functionsBusy, planRunLimit},
       {},
       {.more = "`run` is the outcome, including errors.",
        .body = {.shape = &doc::shapeInfo<InvokeBody>},
        .bodyOptional = true}},
      {Method::post,
       one + "/runs/:id/retry",
       "retryRun",
       {entity<RunView>("run")},
       {conflict, functionsBusy, planRunLimit},
       {},
       {.more =
            "For runs after database, auth, storage and cron events, as long as the log holds them (409 otherwise): "
            "the event again, with the code as it is now. `run` is the outcome, including errors."}},
      {Method::post, one + "/tests/run", "runFunctionTests", {whole<TestReport>()}, {functionsBusy}},
  };
}

std::vector<RouteDoc> integrationDocs() {
  using namespace integrations;
  const std::string all = "/api/v1/admin/integrations";
  const std::string one = all + "/:name";
  return {
      {Method::get, all, "listIntegrations", {listOf<IntegrationView>("integrations")}},
      {Method::post, all, "createIntegration", {entity<IntegrationView>("integration", 201)}, {conflict}},
      {Method::get, all + "/providers", "listProviders", {like(kProviders)}},
      {Method::get, one, "getIntegration", {entity<IntegrationView>("integration")}},
      {Method::patch, one, "updateIntegration", {kNothing}, {conflict}},
      {Method::remove, one, "deleteIntegration", {kNothing}, {conflict}},
      {Method::post, one + "/test", "tryIntegration", {whole<TryResult>()}, {upstreamFailed, conflict}},
      {Method::patch, one + "/tests", "setIntegrationTests", {kNothing}, {conflict}},
      {Method::post, one + "/tests/run", "runIntegrationTests", {whole<SuiteOutcome>()}, {conflict}},
  };
}

std::vector<RouteDoc> webhookDocs() {
  using namespace webhooks;
  const std::string all = "/api/v1/admin/webhooks";
  const std::string one = all + "/:name";
  return {
      {Method::get, all, "listWebhooks", {listOf<WebhookView>("webhooks")}},
      {Method::post, all, "createWebhook", {whole<CreatedWebhook>(201)}, {conflict}},
      {Method::get, one, "getWebhook", {entity<WebhookView>("webhook")}},
      {Method::patch, one, "updateWebhook", {kNothing}, {conflict}},
      {Method::remove, one, "deleteWebhook", {kNothing}, {conflict}},
      {Method::get, one + "/deliveries", "listDeliveries", {listOf<DeliveryView>("deliveries")}, {}, {"limit"}},
      {Method::post, one + "/rotate-secret", "rotateWebhookSecret", {whole<RotatedSecret>()}, {conflict}},
      {Method::post, one + "/test", "testWebhook", {entity<DeliveryView>("delivery")}, {conflict}},
      {Method::post, one + "/deliveries/:id/redeliver", "redeliver", {entity<DeliveryView>("delivery")}, {conflict}},
  };
}

std::vector<RouteDoc> variableDocs() {
  using namespace variables;
  const std::string all = "/api/v1/admin/variables";
  const std::string one = all + "/:name";
  return {
      {Method::get, all, "listVariables", {listOf<VariableView>("variables")}},
      {Method::put,
       one,
       "setVariable",
       {kNothing},
       {conflict},
       {},
       {.more = "Absent fields are unchanged; a new variable is plain and without a value."}},
      {Method::remove, one, "deleteVariable", {kNothing}, {conflict}},
  };
}

}  // namespace

std::vector<RouteDoc> functionDocs() {
  std::vector<RouteDoc> docs = definitionDocs();
  for (std::vector<RouteDoc> more : {integrationDocs(), webhookDocs(), variableDocs()}) {
    docs.insert(docs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return docs;
}

}  // namespace mb::api
