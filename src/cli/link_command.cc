// `manybase link`.
#include "cli/configuration_sync.h"

namespace mb::cli {

Result<Outcome> link(Client& client) {
  const BundleFolder folder = client.folder();
  const LocalState state = client.state();
  TRY(const std::optional<Link> before, state.link());
  TRY(const std::unique_ptr<Session> session, client.session());
  if (!client.has("project") && client.environment().project.empty() && before) {
    return fail(ErrorCode::invalidParam, fmt::format("{} is linked to {} at {}: name another project with --project",
                                                     folder.root().string(), before->project.shown(), before->url));
  }
  TRY(const ProjectRef project, session->project());
  RETURN_IF_ERROR(state.keep(Link{session->url(), project}));
  doc::BsonWriter result;
  appendProject(result, *session, project);
  result.appendString("dir", folder.root().string());
  return Outcome{
      0,
      fmt::format("{} is linked to {} at {}: `manybase pull` fetches it, `manybase push` sends what the folder holds",
                  folder.root().string(), project.shown(), session->url()),
      result.finish()};
}

}  // namespace mb::cli
