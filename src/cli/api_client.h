// One server, over HTTP: JSON out, JSON in. Blocks. Every failure is a line to show that says what to do.
#pragma once

#include "base/cores.h"
#include "cli/console.h"
#include "outbound/client.h"

namespace mb::cli {

struct Call {
  std::string method = "GET";
  std::string path;        // below /api/v1: "/control/me", with a query where there is one
  std::string_view doing;  // what people are told meanwhile: "reading the project"
  std::optional<doc::Document> body = {};
  std::string* planDigest = nullptr;  // where the answer's plan-digest goes; "" where it has none
};

class ApiClient {
 public:
  // `url` as serverOf gives it; `caFile` a PEM file to trust instead of the system's, "" for those. The console
  // outlives this.
  ApiClient(std::string url, std::string caFile, Console& console);
  ~ApiClient();

  const std::string& url() const { return url_; }
  // The answer's body; the empty document where there is none. `token` "" for none. Fails with the error that the
  // server answered, details included (invalidParam as validation, since it is no wrong call of this program), and with
  // upstreamFailed where it cannot be reached or is no such server.
  Result<doc::Document> call(Call call, std::string_view token);
  // What to say of an answer that none of our servers gives.
  std::unexpected<Error> foreign() const;

 private:
  std::unexpected<Error> unreachable(const Error& error) const;
  const std::string url_;
  Console& console_;
  Cores cores_{1};
  outbound::Client client_;
};

// "https://example.com" of what people give as a server's address; fails with invalidParam.
Result<std::string> serverOf(std::string_view given);
// A segment of a path.
std::string percentEncoded(std::string_view text);

}  // namespace mb::cli
