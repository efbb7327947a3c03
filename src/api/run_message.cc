#include "api/run_message.h"

#include <algorithm>
#include <map>

#include "base/json_text.h"
#include "base/latin1.h"
#include "base/text.h"
#include "base/utf8.h"
#include "document/json.h"

namespace mb::api {

namespace {

using doc::BsonType;

// The project's name is the fifth part of the path.
constexpr int kPartsBefore = 5;
// Of a body; workers accept a little more, for the levels around it.
constexpr size_t kMaxDepth = 100;
constexpr std::string_view kSandbox = "sandbox allow-scripts allow-forms allow-popups";

void appendParams(doc::BsonWriter& out, const Captures& params) {
  out.beginDocument("params");
  for (const auto& [name, value] : params) out.appendString(name, value);
  out.end();
}

// A parameter that occurs more than once becomes a list.
Result<> appendQuery(doc::BsonWriter& out, std::string_view rawQuery) {
  TRY(const http::QueryParams query, http::QueryParams::parse(rawQuery));
  std::map<std::string_view, std::vector<std::string_view>> values;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : query.items()) {
    const auto [entry, fresh] = values.try_emplace(name);
    if (fresh) names.push_back(entry->first);
    entry->second.push_back(value);
  }
  out.beginDocument("query");
  for (const std::string_view name : names) {
    const auto& given = values.find(name)->second;
    if (given.size() == 1) {
      out.appendString(name, given.front());
      continue;
    }
    out.beginArray(name);
    for (size_t i = 0; i < given.size(); ++i) out.appendString(std::to_string(i), given[i]);
    out.end();
  }
  out.end();
  return {};
}

// Names in lower case; the values of a repeated header are joined by commas, cookies by semicolons.
void appendHeaders(doc::BsonWriter& out, const http::Request& request, bool hideToken) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const http::Header& header : request.headers) {
    std::string name = lowerAscii(header.name);
    if (hideToken && name == "authorization") continue;
    const auto known = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
    if (known == headers.end()) {
      headers.emplace_back(std::move(name), header.value);
    } else {
      known->second.append(name == "cookie" ? "; " : ", ").append(header.value);
    }
  }
  out.beginDocument("headers");
  for (const auto& [name, value] : headers) out.appendString(name, asUtf8(value));
  out.end();
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string mediaType(const http::Request& request) {
  const std::string_view type = request.header("content-type").value_or("");
  return lowerAscii(trimmed(type.substr(0, type.find(';')), " \t"));
}

Result<> appendBody(doc::BsonWriter& out, const http::Request& request) {
  if (request.body.empty()) {
    out.appendNull("body");
    return {};
  }
  const std::string type = mediaType(request);
  if (type == "application/json" || type.ends_with("+json")) {
    TRY(const doc::Document parsed,
        doc::parseJsonValue(request.body, {.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse}));
    out.append("body", parsed.view().begin()->value);
    return {};
  }
  const bool saysText = type.empty() || type.starts_with("text/") || type == "application/x-www-form-urlencoded" ||
                        type == "application/xml" || type.ends_with("+xml") || type == "application/javascript";
  if (saysText && isUtf8(request.body)) {
    out.appendString("body", request.body);
  } else {
    out.appendBinary("body", request.body);
  }
  return {};
}

bool allowsBody(int status) {
  return status != 204 && status != 205 && status != 304;
}

void addServerHeaders(http::Response& response, functions::Origin origin, std::string run) {
  response.headers.emplace_back("x-service-run", std::move(run));
  if (origin == functions::Origin::own) return;
  response.headers.emplace_back("content-security-policy", kSandbox);
  response.headers.emplace_back("x-content-type-options", "nosniff");
}

// Writes the body of the response; returns its default content type.
std::string_view fillBody(http::Response& response, doc::ValueView body) {
  switch (body.type()) {
    case BsonType::string:
      response.body = body.asString();
      return "text/plain; charset=utf-8";
    case BsonType::binary:
      response.body = body.asBinary();
      return "application/octet-stream";
    case BsonType::null:
      if (response.status >= 300 && response.status < 400) return {};
      [[fallthrough]];
    default:
      doc::writeJsonValue(response.body, body);
      return "application/json";
  }
}

}  // namespace

std::string_view runPath(std::string_view path) {
  size_t at = 0;
  for (int part = 0; part < kPartsBefore; ++part) {
    at = path.find('/', at);
    if (at == std::string_view::npos) return "/";
    if (part + 1 < kPartsBefore) ++at;
  }
  return path.substr(at);
}

doc::Document runEvent(const http::Request& request, const Captures& params) {
  doc::BsonWriter out;
  out.appendString("type", "http");
  out.appendString("method", http::methodName(request.method));
  out.appendString("path", runPath(request.path));
  appendParams(out, params);
  return out.finish();
}

Result<doc::Document> runRequest(const http::Request& request, const Captures& params,
                                 const RunRequestOptions& options) {
  doc::BsonWriter out(1024 + request.body.size());
  out.appendString("method", http::methodName(request.method));
  out.appendString("path", runPath(request.path));
  out.appendString("service", options.service);
  appendParams(out, params);
  RETURN_IF_ERROR(appendQuery(out, request.query));
  appendHeaders(out, request, options.hideToken);
  RETURN_IF_ERROR(appendBody(out, request));
  return out.finish();
}

http::Response runResponse(functions::HttpResult result, functions::Origin origin, std::string run) {
  http::Response response;
  response.status = result.status;
  if (allowsBody(result.status)) response.contentType = fillBody(response, result.body);
  auto headers = std::make_shared<std::vector<std::pair<std::string, std::string>>>(std::move(result.headers));
  const bool sniffing = origin == functions::Origin::own;
  for (auto& [name, value] : *headers) {
    if (name == "content-type") {
      response.contentType = value;
    } else if (sniffing || name != "x-content-type-options") {
      response.headers.emplace_back(name, value);
    }
  }
  response.keeps = std::move(headers);
  addServerHeaders(response, origin, std::move(run));
  return response;
}

http::Response runFailure(int status, std::string_view what, functions::Origin origin, std::string run) {
  std::string body = R"({"error":)";
  appendJsonString(body, what);
  body += '}';
  http::Response response = http::Response::json(status, std::move(body));
  addServerHeaders(response, origin, std::move(run));
  return response;
}

}  // namespace mb::api
