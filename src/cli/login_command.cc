// `manybase login` and `manybase logout`.
#include "base/utf8.h"
#include "cli/client.h"
#include "cli/terminal.h"

namespace mb::cli {

namespace {

struct SignedIn {
  std::string accessToken;
  std::string refreshToken;
  int64_t expiresIn = 0;
  static constexpr auto shape() {
    return doc::shape<SignedIn>("SignedIn", doc::field("accessToken", &SignedIn::accessToken),
                                doc::field("refreshToken", &SignedIn::refreshToken),
                                doc::field("expiresIn", &SignedIn::expiresIn));
  }
};

struct Challenge {
  std::string mfaToken;
  static constexpr auto shape() {
    return doc::shape<Challenge>("Challenge", doc::field("mfaToken", &Challenge::mfaToken));
  }
};

std::unexpected<Error> wrongCall(std::string line) {
  return fail(ErrorCode::invalidParam, std::move(line));
}

// Reads the e-mail address, the password and the code of a second factor: from options, standard input or the terminal.
class LoginInput {
 public:
  static Result<LoginInput> of(const Client& client) {
    LoginInput out;
    out.email_ = client.value("email");
    if (client.has("stdin")) {
      if (out.email_.empty()) return wrongCall("--stdin needs --email");
      TRY(out.lines_, inputLines("password"));
      return out;
    }
    out.terminal_ = Terminal::open();
    if (out.terminal_) return out;
    return wrongCall(
        "there is no terminal for the password prompt: give the password with --stdin (for scripts, use an API key "
        "in MANYBASE_TOKEN)");
  }

  Result<std::string> email() {
    return email_.empty() ? typed("E-mail address: ", "no e-mail address was given") : Result<std::string>(email_);
  }
  Result<std::string> password() {
    if (!terminal_) return line(0, "no password was given");
    if (!terminal_->hide()) return wrongCall("the terminal cannot hide what is typed: give the password with --stdin");
    return typed("Password: ", "no password was given");
  }
  Result<std::string> code() {
    constexpr std::string_view kMissing =
        "this account has a second factor: give its code as the second line of standard input";
    return terminal_ ? typed("Code of your second factor, or a recovery code: ", "no code was given")
                     : line(1, kMissing);
  }

 private:
  Result<std::string> typed(std::string_view prompt, std::string_view missing) {
    auto text = terminal_->ask(prompt);
    return text ? checked(*std::move(text), missing) : wrongCall(std::string(missing));
  }
  Result<std::string> line(size_t number, std::string_view missing) {
    return checked(number < lines_.size() ? lines_[number] : "", missing);
  }
  static Result<std::string> checked(std::string text, std::string_view missing) {
    if (text.empty()) return wrongCall(std::string(missing));
    if (!isUtf8(text)) return wrongCall("the input must be UTF-8 text");
    return text;
  }

  std::string email_;
  std::vector<std::string> lines_;
  std::optional<Terminal> terminal_;
};

Result<std::string> server(const Client& client) {
  if (client.has("url")) return serverOf(client.value("url"));
  if (!client.environment().url.empty()) return serverOf(client.environment().url);
  // The link may come from another user's repository: a password is sent only to a server that has a login already.
  TRY(const std::optional<Link> link, client.state().link());
  TRY(const auto logins, Credentials(client.environment().folder).all());
  if (link && logins.contains(link->url)) return link->url;
  return wrongCall("name the server with --url https://…");
}

doc::Document bodyOf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  doc::BsonWriter out;
  for (const auto& [name, value] : fields) out.appendString(name, value);
  return out.finish();
}

// The error message of a failed login, with the remedy.
std::unexpected<Error> refused(const Error& error, const std::string& url) {
  switch (error.code()) {
    case ErrorCode::invalidCredentials:
    case ErrorCode::unauthenticated:
      return fail(error.code(), fmt::format("{} at {}: try again, or reset your password there", error.message(), url));
    case ErrorCode::notFound:
      return fail(error.code(), fmt::format("{} has no control plane to sign in to", url));
    case ErrorCode::validation:
      return fail(error.code(), error.message() + ": try again");
    default:
      return fail(error.clone());
  }
}

Result<SignedIn> signIn(ApiClient& api, LoginInput& input, const std::string& email) {
  TRY(const std::string password, input.password());
  auto response =
      api.call({"POST", "/control/auth/login", "signing in", bodyOf({{"email", email}, {"password", password}})}, "");
  if (!response) return refused(response.error(), api.url());
  if (const auto challenge = doc::decode<Challenge>(*response, doc::UnknownFields::ignore)) {
    TRY(const std::string code, input.code());
    response = api.call(
        {"POST", "/control/auth/mfa/verify", "signing in", bodyOf({{"mfaToken", challenge->mfaToken}, {"code", code}})},
        "");
    if (!response) return refused(response.error(), api.url());
  }
  auto out = doc::decode<SignedIn>(*response, doc::UnknownFields::ignore);
  return out ? std::move(out) : api.foreign();
}

}  // namespace

Result<Outcome> login(Client& client) {
  TRY(const std::string url, server(client));
  ApiClient api(url, client.environment().caFile, client.console());
  // Checks that the server is a Manybase server before a password is sent.
  const auto found = api.call({"GET", "/control/setup-status", "checking the server"}, "");
  if (!found) return refused(found.error(), url);
  if (!found->view().find("needsSetup")) return api.foreign();
  TRY(LoginInput input, LoginInput::of(client));
  TRY(const std::string email, input.email());
  TRY(SignedIn in, signIn(api, input, email));
  const Timestamp until{SystemClock().now().ms + in.expiresIn * 1000};
  RETURN_IF_ERROR(Credentials(client.environment().folder)
                      .keep(url, {email, std::move(in.refreshToken), std::move(in.accessToken), until}));
  doc::BsonWriter result;
  result.appendString("url", url);
  result.appendString("email", email);
  return Outcome{0, fmt::format("signed in to {} as {}", url, email), result.finish()};
}

Result<Outcome> logout(Client& client) {
  const Credentials credentials(client.environment().folder);
  TRY(const auto logins, credentials.all());
  std::string url;
  if (auto named = server(client)) {
    url = *std::move(named);
  } else if (!client.has("url") && client.environment().url.empty() && logins.size() == 1) {
    url = logins.begin()->first;
  } else {
    return fail(std::move(named).error());
  }
  const auto found = logins.find(url);
  if (found == logins.end()) {
    return fail(ErrorCode::notFound, fmt::format("you are not signed in to {}", url));
  }
  RETURN_IF_ERROR(credentials.forget(url));
  ApiClient api(url, client.environment().caFile, client.console());
  const bool revoked =
      api.call({"POST", "/control/auth/logout", "signing out", bodyOf({{"refreshToken", found->second.refreshToken}})},
               "")
          .has_value();
  doc::BsonWriter result;
  result.appendString("url", url);
  result.appendBool("revoked", revoked);
  return Outcome{0,
                 revoked
                     ? fmt::format("signed out of {}", url)
                     : fmt::format("removed the login at {}; the server could not be reached, the session there ends "
                                   "in at most 30 days",
                                   url),
                 result.finish()};
}

}  // namespace mb::cli
