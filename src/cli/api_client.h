// An HTTP client for one server that sends and receives JSON. Blocks. Every error message says what to do.
#pragma once

#include "base/cores.h"
#include "cli/console.h"
#include "outbound/client.h"

namespace mb::cli {

struct Call {
  std::string method = "GET";
  std::string path;        // below /api/v1: "/control/me", with a query where there is one
  std::string_view doing;  // progress text: "reading the project"
  std::optional<doc::Document> body = {};
  std::string* planDigest = nullptr;  // receives the response's plan-digest header; "" where absent
  std::string* csv = nullptr;         // receives the body as CSV, instead of the returned document
};

class ApiClient {
 public:
  // `url` as serverOf returns it; `caFile` a PEM file to trust instead of the system's, "" for those. The console
  // outlives this.
  ApiClient(std::string url, std::string caFile, Console& console);
  ~ApiClient();

  const std::string& url() const { return url_; }
  // Returns the response body, empty for a response without one. `token` "" for none. Fails with the server's error,
  // details included (invalidParam as validation, since the program was called correctly), and with upstreamFailed
  // where the server cannot be reached or is not a Manybase server.
  Result<doc::Document> call(Call call, std::string_view token);
  // The error for a response that no Manybase server sends.
  std::unexpected<Error> foreign() const;

 private:
  std::unexpected<Error> unreachable(const Error& error) const;
  const std::string url_;
  Console& console_;
  Cores cores_{1};
  outbound::Client client_;
};

// The origin of a server's address as entered: "https://example.com". Fails with invalidParam.
Result<std::string> serverOf(std::string_view given);
// `message` with the advice to try again in `seconds` seconds, or later if that is "". Advice that the server gave
// itself, at the end of its message, is not repeated.
std::string withRetryAdvice(std::string message, std::string_view seconds);
// Percent-encodes a path segment.
std::string percentEncoded(std::string_view text);

}  // namespace mb::cli
