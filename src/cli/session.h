// By what right a client command speaks to which server: a login, a token or an API key. Failures are lines to show.
#pragma once

#include "cli/api_client.h"
#include "cli/credentials.h"
#include "cli/environment.h"
#include "cli/local_state.h"

namespace mb::cli {

// What a token is, by the look of it; the server judges it.
struct TokenKind {
  enum class Plane { control, project };
  Plane plane;
  std::string projectId;  // of a project's token or key
};
// nullopt for what is neither a key (mb_sk_…) nor an access token.
std::optional<TokenKind> kindOf(std::string_view token);

// Where a command's server and project may be named, the first one that is there counting.
struct Named {
  std::string url;      // --url
  std::string token;    // --token
  std::string project;  // --project: id or slug
  std::optional<Link> link;
};

class Session {
 public:
  // Fails with validation where no server is named or the token is none, with unauthenticated where nobody is signed
  // in. The console outlives it.
  static Result<std::unique_ptr<Session>> open(const Environment& environment, Named named, Console& console);

  const std::string& url() const { return api_.url(); }
  // The project that is meant: by option, environment, token or link. Fails with notFound where there is none of that
  // name, validation where none is named.
  Result<ProjectRef> project();
  // A project of that id or slug. Fails with notFound.
  Result<ProjectRef> project(std::string_view idOrSlug);
  // On the control plane. Fails with forbidden for a token of a project.
  Result<doc::Document> control(Call call);
  // On a project's admin API.
  Result<doc::Document> admin(const ProjectRef& project, Call call);

 private:
  Session(const Environment& environment, Named named, std::string url, Console& console);
  Result<std::string> controlToken();
  Result<> refresh();
  Result<std::string> projectToken(const ProjectRef& project);
  std::unexpected<Error> refusedToken() const;

  Named named_;
  const std::string wanted_;  // --project, else MANYBASE_PROJECT
  const Credentials credentials_;
  ApiClient api_;
  std::string token_;  // given, instead of a login
  std::optional<TokenKind> kind_;
  std::optional<Login> login_;
  bool refreshed_ = false;
  std::map<std::string, std::string> projectTokens_;
};

}  // namespace mb::cli
