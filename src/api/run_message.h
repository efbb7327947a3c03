// Converts a request to the input of an http function, and its result to the response (docs/functions.md, Endpoints).
#pragma once

#include "functions/http_result.h"
#include "http/message.h"

namespace mb::api {

using Captures = std::vector<std::pair<std::string, std::string>>;

// The part of the path after the project's name, as it was sent: "/" or "/orders/a%20b".
std::string_view runPath(std::string_view path);

// {type: "http", method, path, params}
doc::Document runEvent(const http::Request& request, const Captures& params);

struct RunRequestOptions {
  std::string_view service;  // the server's base URL
  // Set if the bearer token was issued by this server: a function must not obtain it, as it may be valid elsewhere.
  bool hideToken = false;
};
// ctx.request: {method, path, service, params, query, headers, body}. The body is parsed if its content type is JSON;
// it is text if it is valid UTF-8 and its content type is textual or absent; else bytes; null without a body. The
// worker adds rawBody. Fails with invalidJson, invalidParam (the query).
Result<doc::Document> runRequest(const http::Request& request, const Captures& params,
                                 const RunRequestOptions& options);

// Strings are sent as text, bytes as they are, everything else as JSON. `run` is the run's id, for x-service-run.
http::Response runResponse(functions::HttpResult result, functions::Origin origin, std::string run);
// {"error": "…"}: the format of errors that functions cause.
http::Response runFailure(int status, std::string_view what, functions::Origin origin, std::string run);

}  // namespace mb::api
