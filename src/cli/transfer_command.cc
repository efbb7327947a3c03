// `manybase transfer offer`, `accept`, `withdraw` and `take`.
#include "cli/configuration_sync.h"
#include "cli/server_features.h"

namespace mb::cli {

namespace {

Result<doc::Document> callTransfer(const ProjectSession& target, std::string method, std::string_view below,
                                   std::string_view doing, std::optional<doc::Document> body = {}) {
  return target.session->control(
      {std::move(method), fmt::format("/control/projects/{}/transfer{}", percentEncoded(target.project.id), below),
       doing, std::move(body)});
}

Outcome outcomeOf(const ProjectSession& target, std::string text, std::string_view userId = {}) {
  doc::BsonWriter result;
  appendProject(result, *target.session, target.project);
  if (!userId.empty()) result.appendString("userId", userId);
  return Outcome{0, std::move(text), result.finish()};
}

Result<std::string> ownId(Session& session) {
  TRY(const doc::Document response, session.control({"GET", "/control/me", "reading your account"}));
  const auto user = response.view().find("user");
  std::string id;
  if (user && user->type() == doc::BsonType::document) id = user->asDocument().stringOr("id");
  if (id.empty()) return unexpectedResponse(session);
  return id;
}

doc::Document recipientBody(std::string_view userId) {
  doc::BsonWriter body;
  body.appendString("userId", userId);
  return body.finish();
}

// The error of a call that needs an offer, where there is not an open one.
Error withoutOffer(const Error& error, std::string message) {
  return error.code() == ErrorCode::notFound ? Error(ErrorCode::notFound, std::move(message)) : error.clone();
}

}  // namespace

Result<Outcome> offerTransfer(Client& client) {
  TRY(const ProjectSession target, client.projectSession());
  TRY(const std::string own, ownId(*target.session));
  TRY(const std::string user, memberId(*target.session, target.project, client.value("user")));
  if (user == own) {
    return fail(ErrorCode::validation,
                "you cannot offer a project to yourself: `manybase transfer take` moves it to you at once");
  }
  RETURN_IF_ERROR(callTransfer(target, "POST", "", "offering the project", recipientBody(user)));
  return outcomeOf(target,
                   fmt::format("offered {} to {}, who has 7 days for `manybase transfer accept --project {}`",
                               target.project.shown(), client.value("user"), target.project.shown()),
                   user);
}

Result<Outcome> acceptTransfer(Client& client) {
  TRY(const ProjectSession target, client.projectSession());
  const auto response = callTransfer(target, "POST", "/accept", "accepting the project");
  if (!response) {
    return fail(
        withoutOffer(response.error(), fmt::format("there is no open offer of {} to you", target.project.shown())));
  }
  return outcomeOf(target, fmt::format("accepted {}: you pay for it from now on", target.project.shown()));
}

Result<Outcome> withdrawTransfer(Client& client) {
  TRY(const ProjectSession target, client.projectSession());
  const auto response = callTransfer(target, "DELETE", "", "withdrawing the offer");
  if (!response) {
    return fail(withoutOffer(response.error(), fmt::format("there is no open offer of {}", target.project.shown())));
  }
  return outcomeOf(target, fmt::format("withdrew the offer of {}", target.project.shown()));
}

Result<Outcome> takeProject(Client& client) {
  TRY(const ProjectSession target, client.projectSession());
  TRY(const std::string own, ownId(*target.session));
  RETURN_IF_ERROR(callTransfer(target, "POST", "", "taking the project", recipientBody(own)));
  return outcomeOf(target, fmt::format("took {}: you pay for it from now on", target.project.shown()), own);
}

}  // namespace mb::cli
