// `manybase promote`.
#include "cli/plan.h"
#include "cli/shape_sync.h"

namespace mb::cli {

namespace {

Result<doc::Document> ask(Session& session, const ProjectRef& from, const ProjectRef& to, Call call) {
  doc::BsonWriter body;
  body.appendString("fromProjectId", from.id);
  body.appendString("toProjectId", to.id);
  call.method = "POST";
  call.path = "/control/environments/promote" + call.path;
  call.body = body.finish();
  auto answer = session.control(std::move(call));
  if (answer) return answer;
  const Error& error = answer.error();
  if (error.code() == ErrorCode::forbidden) {
    return fail(ErrorCode::forbidden,
                fmt::format("you have to be an Owner of both {} and {}", from.shown(), to.shown()));
  }
  if (error.details().empty()) return answer;
  return fail(Error(error.code(),
                    fmt::format("{} does not take the shape of {}, nothing was changed", to.shown(), from.shown()))
                  .withDetails(error.details()));
}

}  // namespace

Result<Outcome> promote(Client& client) {
  const bool dry = client.has("dry-run");
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef from, session->project(client.value("from")));
  TRY(const ProjectRef to, session->project(client.value("to")));
  std::string digest;
  TRY(doc::Document answer, ask(*session, from, to, {.path = "?dryRun=1", .doing = "planning", .planDigest = &digest}));
  TRY(const Plan plan, planOf(answer, std::move(digest)));
  client.console().say(describe(plan, {}, client.console().colours()));
  if (!dry && !plan.empty()) {
    RETURN_IF_ERROR(confirmed(client, fmt::format("Apply this to {}, as shown above?", to.shown()), "yes"));
    TRY(answer, ask(*session, from, to, {.path = "?plan=" + plan.digest, .doing = "applying"}));
  }
  doc::BsonWriter result;
  result.appendString("url", session->url());
  result.appendDocument("from", doc::encode(from));
  result.appendDocument("to", doc::encode(to));
  result.append("plan", *answer.view().find("plan"));
  result.appendBool("applied", !dry);
  if (dry) return Outcome{plan.empty() ? 0 : 2, summaryOf(plan, 0), result.finish()};
  return Outcome{0,
                 plan.empty() ? fmt::format("{} has all of {} already", to.shown(), from.shown())
                              : fmt::format("promoted {} to {}: {} created, {} updated", from.shown(), to.shown(),
                                            plan.summary.create, plan.summary.update),
                 result.finish()};
}

}  // namespace mb::cli
