// `manybase database check`.
#include "cli/configuration_sync.h"
#include "cli/own_database.h"
#include "cli/server_features.h"

namespace mb::cli {

Result<Outcome> checkDatabase(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  TRY(const doc::Document response,
      session->control({"POST", fmt::format("/control/projects/{}/database/check", percentEncoded(project.id)),
                        "checking the database"}));
  const auto checked = doc::decode<CheckedDatabase>(response, doc::UnknownFields::ignore);
  if (!checked) return unexpectedResponse(*session);
  doc::BsonWriter result;
  appendProject(result, *session, project);
  result.appendAll(response);
  return Outcome{checked->reachable ? 0 : 1, textOf(*checked), result.finish()};
}

}  // namespace mb::cli
