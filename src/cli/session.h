// A client command's session with a server, authenticated by a login, a token or an API key. Error messages are for
// printing.
#pragma once

#include "cli/api_client.h"
#include "cli/credentials.h"
#include "cli/environment.h"
#include "cli/local_state.h"

namespace mb::cli {

// The kind of a token, by its form; the server verifies it.
struct TokenKind {
  enum class Plane { control, project };
  Plane plane;
  std::string projectId;  // of a project's token or key
};
// nullopt if it is neither a key (mb_sk_…) nor an access token.
std::optional<TokenKind> kindOf(std::string_view token);

// The sources of a command's server and project; the first one that is set counts.
struct SessionOptions {
  std::string url;      // --url
  std::string token;    // --token
  std::string project;  // --project: id or slug
  std::optional<Link> link;
};

class Session {
 public:
  // Fails with validation where no server is named or the token is invalid, with unauthenticated where there is no
  // login. The console outlives it.
  static Result<std::unique_ptr<Session>> open(const Environment& environment, SessionOptions named, Console& console);

  const std::string& url() const { return api_.url(); }
  // The command's project: by option, environment, token or link. Fails with notFound where no project has that name,
  // validation where none is named.
  Result<ProjectRef> project();
  // A project of that id or slug. Fails with notFound.
  Result<ProjectRef> project(std::string_view idOrSlug);
  // On the control plane. Fails with forbidden for a token of a project.
  Result<doc::Document> control(Call call);
  // On a project's admin API.
  Result<doc::Document> admin(const ProjectRef& project, Call call);

 private:
  Session(const Environment& environment, SessionOptions named, std::string url, Console& console);
  Result<std::string> controlToken();
  Result<> refresh();
  Result<std::string> projectToken(const ProjectRef& project);
  std::unexpected<Error> refusedToken() const;

  SessionOptions named_;
  const std::string wanted_;  // --project, else MANYBASE_PROJECT
  const Credentials credentials_;
  ApiClient api_;
  std::string token_;  // from --token or MANYBASE_TOKEN; "" with a login
  std::optional<TokenKind> kind_;
  std::optional<Login> login_;
  bool refreshed_ = false;
  std::map<std::string, std::string> projectTokens_;
};

}  // namespace mb::cli
