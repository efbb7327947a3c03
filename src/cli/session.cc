#include "cli/session.h"

#include "document/json.h"

namespace mb::cli {

namespace {

constexpr std::string_view kKeyPrefix = "mb_sk_";
constexpr int64_t kSlackMs = 30'000;
constexpr size_t kProjectsNamed = 10;

Timestamp now() {
  return SystemClock().now();
}

struct Refreshed {
  std::string accessToken;
  int64_t expiresIn = 0;
  std::optional<std::string> refreshToken;
  static constexpr auto shape() {
    return doc::shape<Refreshed>("Refreshed", doc::field("accessToken", &Refreshed::accessToken),
                                 doc::field("expiresIn", &Refreshed::expiresIn),
                                 doc::field("refreshToken", &Refreshed::refreshToken));
  }
};

struct Projects {
  std::vector<ProjectRef> projects;
  static constexpr auto shape() {
    return doc::shape<Projects>("Projects", doc::field("projects", &Projects::projects));
  }
};

struct Exchanged {
  std::string token;
  static constexpr auto shape() { return doc::shape<Exchanged>("Exchanged", doc::field("token", &Exchanged::token)); }
};

template <class T>
Result<T> read(const doc::Document& response, const std::string& url) {
  auto out = doc::decode<T>(response, doc::UnknownFields::ignore);
  if (out) return out;
  return fail(ErrorCode::upstreamFailed,
              fmt::format("{} sent an unexpected response: it may be of another version", url));
}

std::unexpected<Error> signIn(const std::string& url) {
  return fail(ErrorCode::unauthenticated,
              fmt::format("you are not signed in to {0}: run `manybase login --url {0}`, or set MANYBASE_TOKEN", url));
}

// The server of the command: by option, environment, link, or the only login.
Result<std::string> serverNamed(const SessionOptions& named, const Environment& environment,
                                const Credentials& credentials) {
  if (!named.url.empty()) return serverOf(named.url);
  if (!environment.url.empty()) return serverOf(environment.url);
  // The link may come from another user's repository: a token is not sent to a server that only the link names.
  if (!named.token.empty() || !environment.token.empty()) {
    return fail(ErrorCode::validation,
                "a token is only sent to a server that you name: give --url, or set MANYBASE_URL");
  }
  if (named.link) return named.link->url;
  TRY(const auto logins, credentials.all());
  if (logins.size() == 1) return logins.begin()->first;
  return fail(ErrorCode::validation, logins.empty()
                                         ? "you are not signed in anywhere: run `manybase login --url https://…`"
                                         : "there are logins at several servers: name one with --url");
}

}  // namespace

std::optional<TokenKind> kindOf(std::string_view token) {
  const bool plain = std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!plain) return std::nullopt;
  if (token.starts_with(kKeyPrefix)) {
    const size_t dot = token.find('.');
    if (dot == std::string_view::npos || dot <= kKeyPrefix.size()) return std::nullopt;
    return TokenKind{TokenKind::Plane::project, std::string(token.substr(kKeyPrefix.size(), dot - kKeyPrefix.size()))};
  }
  const size_t first = token.find('.'), last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto payload = fromBase64Url(token.substr(first + 1, last - first - 1));
  if (!payload) return std::nullopt;
  const auto claims = doc::parseJson(*payload);
  if (!claims) return std::nullopt;
  const std::string_view audience = claims->view().stringOr("aud");
  if (audience == "control") return TokenKind{TokenKind::Plane::control, {}};
  const std::string_view project = claims->view().stringOr("pid");
  if (audience != "project" || project.empty()) return std::nullopt;
  return TokenKind{TokenKind::Plane::project, std::string(project)};
}

Session::Session(const Environment& environment, SessionOptions named, std::string url, Console& console)
    : named_(std::move(named)),
      wanted_(named_.project.empty() ? environment.project : named_.project),
      credentials_(environment.folder),
      api_(std::move(url), environment.caFile, console),
      token_(named_.token.empty() ? environment.token : named_.token) {}

Result<std::unique_ptr<Session>> Session::open(const Environment& environment, SessionOptions named, Console& console) {
  TRY(std::string url, serverNamed(named, environment, Credentials(environment.folder)));
  std::unique_ptr<Session> out(new Session(environment, std::move(named), std::move(url), console));
  if (!out->token_.empty()) {
    out->kind_ = kindOf(out->token_);
    if (out->kind_) return out;
    return fail(ErrorCode::validation,
                "the token given is neither an API key (mb_sk_…) nor an access token: check --token and "
                "MANYBASE_TOKEN");
  }
  TRY(out->login_, out->credentials_.of(out->url()));
  if (!out->login_) return signIn(out->url());
  return out;
}

std::unexpected<Error> Session::refusedToken() const {
  if (login_) {
    return fail(ErrorCode::unauthenticated,
                fmt::format("your login at {0} has expired: run `manybase login --url {0}`", url()));
  }
  return fail(ErrorCode::unauthenticated,
              fmt::format("{} rejected the token: it may have expired or been revoked, use another", url()));
}

Result<> Session::refresh() {
  doc::BsonWriter body;
  body.appendString("refreshToken", login_->refreshToken);
  const auto response = api_.call({"POST", "/control/auth/refresh", "signing in", body.finish()}, "");
  if (!response) {
    if (response.error().code() == ErrorCode::unauthenticated) return refusedToken();
    return fail(response.error().clone());
  }
  TRY(Refreshed fresh, read<Refreshed>(*response, url()));
  login_->accessToken = std::move(fresh.accessToken);
  login_->expiresAt = {now().ms + fresh.expiresIn * 1000};
  if (fresh.refreshToken) login_->refreshToken = *std::move(fresh.refreshToken);
  refreshed_ = true;
  return credentials_.keep(url(), *login_);
}

Result<std::string> Session::controlToken() {
  if (!login_) {
    if (kind_->plane == TokenKind::Plane::control) return token_;
    return fail(ErrorCode::forbidden,
                fmt::format("a key or token of one project is not enough for this: run `manybase login --url {}` and "
                            "omit the token",
                            url()));
  }
  if (login_->accessToken.empty() || login_->expiresAt.ms - kSlackMs < now().ms) RETURN_IF_ERROR(refresh());
  return login_->accessToken;
}

Result<doc::Document> Session::control(Call call) {
  TRY(std::string token, controlToken());
  auto response = api_.call(call, token);
  if (response || response.error().code() != ErrorCode::unauthenticated) return response;
  // A stored access token may have been revoked before it expires.
  if (!login_ || refreshed_) return refusedToken();
  RETURN_IF_ERROR(refresh());
  response = api_.call(std::move(call), login_->accessToken);
  if (!response && response.error().code() == ErrorCode::unauthenticated) return refusedToken();
  return response;
}

Result<ProjectRef> Session::project(std::string_view idOrSlug) {
  if (kind_ && kind_->plane == TokenKind::Plane::project) {
    if (kind_->projectId == idOrSlug) return ProjectRef{kind_->projectId, {}};
    return fail(ErrorCode::validation,
                fmt::format("the token given is for the project {}, not for {}: give that id, or use another token",
                            kind_->projectId, idOrSlug));
  }
  TRY(const doc::Document response, control({"GET", "/control/projects", "finding the project"}));
  TRY(Projects listed, read<Projects>(response, url()));
  std::string others;
  for (size_t i = 0; i < listed.projects.size(); ++i) {
    ProjectRef& each = listed.projects[i];
    if (each.id == idOrSlug || each.slug == idOrSlug) return std::move(each);
    if (i < kProjectsNamed) others += (i == 0 ? "" : ", ") + each.slug;
    if (i == kProjectsNamed) others += ", …";
  }
  return fail(ErrorCode::notFound, fmt::format("you have no project \"{}\" at {}{}", idOrSlug, url(),
                                               others.empty() ? ": an Owner can add you" : "; yours are: " + others));
}

Result<ProjectRef> Session::project() {
  if (!wanted_.empty()) {
    // Known from the link.
    if (named_.link && named_.link->url == url() &&
        (wanted_ == named_.link->project.id || wanted_ == named_.link->project.slug)) {
      return project(named_.link->project.id);
    }
    return project(wanted_);
  }
  if (kind_ && kind_->plane == TokenKind::Plane::project) {
    if (named_.link && named_.link->url == url() && named_.link->project.id != kind_->projectId) {
      return fail(ErrorCode::validation,
                  fmt::format("the folder is linked to {}, and the token given is for the project {}: use another "
                              "token, or give --project {}",
                              named_.link->project.shown(), kind_->projectId, kind_->projectId));
    }
    return ProjectRef{kind_->projectId, {}};
  }
  if (named_.link && named_.link->url == url()) return named_.link->project;
  return fail(ErrorCode::validation,
              "this folder is not linked to a project: run `manybase link --project NAME` once, or give --project");
}

Result<std::string> Session::projectToken(const ProjectRef& project) {
  if (kind_ && kind_->plane == TokenKind::Plane::project) return token_;
  if (const auto known = projectTokens_.find(project.id); known != projectTokens_.end()) return known->second;
  const auto response = control({"POST", "/control/projects/" + percentEncoded(project.id) + "/token", "signing in"});
  if (!response) {
    const Error& error = response.error();
    if (error.code() == ErrorCode::notFound) {
      return fail(ErrorCode::notFound,
                  fmt::format("there is no project {} at {}, or you are not a member of it: link the folder to "
                              "another, or have an Owner add you",
                              project.shown(), url()));
    }
    if (error.code() == ErrorCode::projectSuspended) {
      return fail(ErrorCode::projectSuspended,
                  fmt::format("{} is suspended: an Owner or Admin must resume it first", project.shown()));
    }
    return fail(error.clone());
  }
  TRY(Exchanged exchanged, read<Exchanged>(*response, url()));
  return projectTokens_[project.id] = std::move(exchanged.token);
}

Result<doc::Document> Session::admin(const ProjectRef& project, Call call) {
  TRY(const std::string token, projectToken(project));
  call.path = "/admin" + call.path;
  auto response = api_.call(std::move(call), token);
  if (response) return response;
  const Error& error = response.error();
  switch (error.code()) {
    case ErrorCode::unauthenticated:
      return refusedToken();
    case ErrorCode::projectSuspended:
      return fail(ErrorCode::projectSuspended,
                  fmt::format("{} is suspended: an Owner or Admin must resume it first", project.shown()));
    case ErrorCode::forbidden:
      return fail(ErrorCode::forbidden, fmt::format("{} does not let you do this: {} (an Owner can change your role)",
                                                    project.shown(), error.message()));
    default:
      return response;
  }
}

}  // namespace mb::cli
