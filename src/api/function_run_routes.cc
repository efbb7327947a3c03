#include "api/function_run_routes.h"

#include "api/document_routes.h"
#include "functions/pre_hooks.h"
#include "functions/run_log.h"
#include "functions/run_retries.h"
#include "functions/tests_run.h"

namespace mb::api {

namespace {

Task<InvokeBody> bodyOf(RequestContext& context) {
  if (context.request.body.empty()) co_return InvokeBody{};
  CO_TRY(const doc::Document given, co_await parseBody(context, doc::ExtendedJson::refuse));
  co_return doc::decode<InvokeBody>(given);
}

Result<functions::FunctionPtr> functionOf(const functions::FunctionTable& table, const std::string& name) {
  functions::FunctionPtr found = table.find(name);
  if (!found) return fail(ErrorCode::notFound, "no such function");
  return found;
}

doc::Document manualEvent(const InvokeBody& body) {
  doc::BsonWriter out;
  out.appendString("type", "manual");
  if (body.payload) {
    out.append("payload", *body.payload);
  } else {
    out.appendNull("payload");
  }
  return out.finish();
}

}  // namespace

void FunctionRunRoutes::addTo(RouteTable& routes) {
  using Routes = FunctionRunRoutes;
  const Gate read = admin("functions:read");
  // API keys with the scope functions may invoke.
  Gate invoking = admin("functions:invoke");
  invoking.scope = "functions";
  const std::string all = "/api/v1/admin/functions";
  routes.get(all + "/stats", read, this, &Routes::stats, "Statistics of all functions");
  routes.get(all + "/:name/logs", read, this, &Routes::logs, "List a function's last runs");
  routes.post(all + "/:name/runs/:id/retry", admin("functions:manage"), this, &Routes::retry,
              "Repeat a background run of the log now and wait for it");
  routes.post(all + "/:name/invoke", invoking, this, &Routes::invoke, "Run a function now and wait for it");
  routes.post(all + "/:name/tests/run", admin("functions:manage"), this, &Routes::runTests,
              "Run a function's stored tests");
}

Task<Reply> FunctionRunRoutes::invoke(RequestContext& context) {
  CO_TRY(const InvokeBody body, co_await bodyOf(context));
  functions::Invocation invocation;
  invocation.project = context.project;
  CO_TRY(invocation.function, functionOf(context.project->get(runtime_.slot()), context.param(0)));
  invocation.trigger = "manual";
  invocation.event = manualEvent(body);
  invocation.caller = context.caller;
  invocation.trace = context.caller.trace;
  CO_TRY(const functions::FinishedRun finished, co_await runtime_.runner().run(std::move(invocation)));
  if (finished.status == workers::RunStatus::busy) co_return fail(functions::functionsBusy());
  co_return Reply::entity(200, "run", finished.view);
}

Task<Reply> FunctionRunRoutes::logs(RequestContext& context) {
  CO_TRY(const data::ReadQuery page, readQuery(context.request.query));
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(page.limit, functions::kMaxRuns));
  CO_TRY(const functions::FunctionPtr function, functionOf(context.project->get(runtime_.slot()), context.param(0)));
  CO_TRY(const std::vector<functions::RunView> runs,
         co_await runtime_.log().list(functions::runOf(*context.project, *function), limit));
  co_return Reply::list("runs", runs);
}

Task<Reply> FunctionRunRoutes::retry(RequestContext& context) {
  CO_TRY(const functions::RunView run,
         co_await runtime_.retries().retry({context.caller, context.project, context.deadline}, context.param(0),
                                           context.param(1)));
  co_return Reply::entity(200, "run", run);
}

Task<Reply> FunctionRunRoutes::stats(RequestContext& context) {
  std::vector<functions::RunOf> all;
  for (const auto& [name, function] : context.project->get(runtime_.slot()).byName) {
    all.push_back(functions::runOf(*context.project, *function));
  }
  CO_TRY(const std::vector<functions::FunctionStats> stats,
         co_await runtime_.log().stats(context.project->info().number, std::move(all)));
  co_return Reply::list("functions", stats);
}

Task<Reply> FunctionRunRoutes::runTests(RequestContext& context) {
  CO_TRY(const functions::FunctionPtr function, functionOf(context.project->get(runtime_.slot()), context.param(0)));
  CO_TRY(const functions::TestReport report,
         co_await runtime_.tests().run(context.project, function, context.deadline));
  co_return Reply::object(200, report);
}

}  // namespace mb::api
