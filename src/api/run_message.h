// A request as an http function gets it, and what it returned as the answer. Source: contract 2.11 (ctx.request), 4.7;
// decisions 5 and 7.
#pragma once

#include "functions/http_answer.h"
#include "http/message.h"

namespace mb::api {

using Captures = std::vector<std::pair<std::string, std::string>>;

// What stands behind the project's name in the path, as it was sent: "/" or "/orders/a%20b".
std::string_view runPath(std::string_view path);

// {type: "http", method, path, params}
doc::Document runEvent(const http::Request& request, const Captures& params);

struct RunRequestOptions {
  std::string_view service;  // the server's base URL
  // The bearer token is one of this server's: code is not to see what its caller may do elsewhere.
  bool hideToken = false;
};
// ctx.request: {method, path, service, params, query, headers, body}. The body is parsed where it says that it is JSON,
// text where it says that it is, or says nothing and is UTF-8; else bytes; null where there is none. Fails with
// invalidJson, invalidParam (the query).
Result<doc::Document> runRequest(const http::Request& request, const Captures& params,
                                 const RunRequestOptions& options);

// Strings are sent as text, bytes as they are, everything else as JSON.
http::Response runResponse(functions::HttpAnswer answer, functions::Origin origin);
// {"error": "…"}: contract 7.
http::Response runFailure(int status, std::string_view what, functions::Origin origin);

}  // namespace mb::api
