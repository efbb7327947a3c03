// `manybase promote`.
#include "cli/configuration_sync.h"
#include "cli/plan.h"

namespace mb::cli {

namespace {

Result<doc::Document> requestPromotion(Session& session, const ProjectRef& from, const ProjectRef& to, Call call) {
  doc::BsonWriter body;
  body.appendString("fromProjectId", from.id);
  body.appendString("toProjectId", to.id);
  call.method = "POST";
  call.path = "/control/environments/promote" + call.path;
  call.body = body.finish();
  auto response = session.control(std::move(call));
  if (response) return response;
  const Error& error = response.error();
  if (error.code() == ErrorCode::forbidden) {
    return fail(ErrorCode::forbidden,
                fmt::format("this needs the role Owner in both {} and {}", from.shown(), to.shown()));
  }
  if (error.details().empty()) return response;
  const std::string_view advice =
      error.code() == ErrorCode::testsFailed
          ? ": the stored tests listed below would fail (--skip-tests applies it nevertheless)"
          : "";
  return fail(Error(error.code(), fmt::format("{} rejected the configuration of {}; nothing was changed{}", to.shown(),
                                              from.shown(), advice))
                  .withDetails(error.details()));
}

}  // namespace

Result<Outcome> promote(Client& client) {
  const bool dry = client.has("dry-run");
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef from, session->project(client.value("from")));
  TRY(const ProjectRef to, session->project(client.value("to")));
  const std::string options = importOptions(client);
  std::string digest;
  TRY(doc::Document response,
      requestPromotion(*session, from, to,
                       {.path = "?dryRun=1" + options, .doing = "planning", .planDigest = &digest}));
  TRY(const Plan plan, planOf(response, std::move(digest)));
  client.console().say(describe(plan, {}, client.console().colours()));
  if (!dry && !plan.empty()) {
    RETURN_IF_ERROR(confirmed(client, fmt::format("Apply this to {}, as shown above?", to.shown()), "yes"));
    TRY(response,
        requestPromotion(*session, from, to, {.path = "?plan=" + plan.digest + options, .doing = "applying"}));
  }
  doc::BsonWriter result;
  result.appendString("url", session->url());
  result.appendDocument("from", doc::encode(from));
  result.appendDocument("to", doc::encode(to));
  result.append("plan", *response.view().find("plan"));
  result.appendBool("applied", !dry);
  if (dry) return Outcome{plan.empty() ? 0 : 2, summaryOf(plan, 0), result.finish()};
  return Outcome{0,
                 plan.empty() ? fmt::format("{} has all of {} already", to.shown(), from.shown())
                              : fmt::format("promoted {} to {}: {} created, {} updated", from.shown(), to.shown(),
                                            plan.summary.create, plan.summary.update),
                 result.finish()};
}

}  // namespace mb::cli
