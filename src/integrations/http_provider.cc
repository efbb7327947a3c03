#include "integrations/http_provider.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/trace_context.h"
#include "identity/records.h"
#include "integrations/http_message.h"
#include "integrations/http_target.h"
#include "variables/reference.h"

namespace mb::integrations {

namespace {

constexpr size_t kMaxHttpResponse = 1 << 20;
constexpr size_t kMaxBody = 2 << 20;
constexpr size_t kMaxCallHeaders = 50;
constexpr size_t kMaxHeaderProblems = 50;
constexpr size_t kMaxHeaderBytes = 16 << 10;
constexpr std::string_view kSecretHeader = "headers/";

// The five operations have the same arguments.
constexpr std::string_view kHttpCatalogue = R"json({{
  "provider": "http",
  "label": "HTTP",
  "config": {{
    "baseUrl": {{"type": "string", "maxLength": 2000, "required": true,
                 "description": "such as https://api.example.com/v1; all calls stay at its origin"}},
    "headers": {{"type": "object", "additionalProperties": {{"type": "string", "maxLength": 4096}},
                 "description": "sent with each call; a call may replace them"}},
    "timeoutMs": {{"type": "integer", "minimum": 100, "maximum": 10000}},
    "allowPrivate": {{"type": "boolean",
                      "description": "allow non-public addresses that the deployment permits"}}
  }},
  "secrets": ["authorization", "headers"],
  "ops": [{}]
}})json";
constexpr std::string_view kOperation = R"json({{"name": "{}", "args": {{
      "path": {{"type": "string", "maxLength": 8192, "required": true}},
      "query": {{"type": "object"}},
      "headers": {{"type": "object", "additionalProperties": {{"type": "string", "maxLength": 4096}}}},
      "body": {{"description": "text and bytes are sent unchanged, other values as JSON"}}
    }}}})json";
constexpr std::string_view kOperations[] = {"get", "post", "put", "patch", "delete"};

std::string catalogueText() {
  std::vector<std::string> operations;
  for (const std::string_view name : kOperations) operations.push_back(fmt::format(kOperation, name));
  return fmt::format(kHttpCatalogue, fmt::join(operations, ", "));
}

std::string methodOf(std::string_view op) {
  std::string method(op);
  for (char& c : method) c = static_cast<char>(c - 'a' + 'A');
  return method;
}

doc::DocumentView objectAt(doc::DocumentView values, std::string_view key) {
  const auto found = values.find(key);
  return found ? found->asDocument() : doc::DocumentView();
}

void checkHeaders(doc::DocumentView headers, const std::string& pointer, const std::set<std::string>& taken,
                  Problems& problems) {
  size_t bytes = 0;
  std::set<std::string> seen;
  for (const auto& [header, value] : headers) {
    if (problems.size() > kMaxHeaderProblems) return;
    const std::string at = fmt::format("{}/{}", pointer, header);
    const std::string name = lowerAscii(header);
    bytes += header.size() + value.asString().size();
    if (!outbound::isHeaderName(header)) {
      problems.push_back({at, "is not a valid header name"});
    } else if (outbound::isClientHeader(header)) {
      problems.push_back({at, "is set by the server"});
    } else if (taken.contains(name)) {
      problems.push_back({at, "is a secret of the integration"});
    } else if (!seen.insert(name).second) {
      problems.push_back({at, "occurs twice"});
    } else if (!outbound::isHeaderValue(value.asString())) {
      problems.push_back({at, "must be printable ASCII without leading or trailing blanks"});
    }
  }
  if (bytes > kMaxHeaderBytes) problems.push_back({pointer, "must have at most 16384 characters in all"});
}

// The names of headers that are secrets.
std::set<std::string> secretHeaders(const std::vector<std::string>& secretNames) {
  std::set<std::string> names;
  for (const std::string& name : secretNames) {
    names.insert(name.starts_with(kSecretHeader) ? name.substr(kSecretHeader.size()) : name);
  }
  return names;
}

// The integration's headers, replaced by the call's, and both replaced by the secrets.
std::vector<outbound::Header> headersOf(const Call& call, const std::string& contentType) {
  std::map<std::string, std::string> all;
  if (!contentType.empty()) all["content-type"] = contentType;
  if (!call.trace.empty()) all[std::string(kTraceHeader)] = call.trace;
  for (const doc::DocumentView source : {call.integration->config.view(), call.arguments.view()}) {
    for (const auto& [name, value] : objectAt(source, kHeaders)) {
      all[lowerAscii(name)] = std::string(value.asString());
    }
  }
  for (const auto& [name, value] : call.secrets.all()) {
    all[name.starts_with(kSecretHeader) ? name.substr(kSecretHeader.size()) : name] = std::string(value.reveal());
  }
  std::vector<outbound::Header> headers;
  for (auto& [name, value] : all) headers.push_back({name, std::move(value)});
  return headers;
}

outbound::Trust trustOf(doc::DocumentView config) {
  const auto allowPrivate = config.find("allowPrivate");
  return allowPrivate && allowPrivate->asBool() ? outbound::Trust::guarded : outbound::Trust::publicOnly;
}

std::chrono::milliseconds timeoutOf(const Call& call) {
  const auto own = call.integration->config.view().find("timeoutMs");
  return own ? std::min(call.timeout, std::chrono::milliseconds(own->toInteger().value_or(0))) : call.timeout;
}

}  // namespace

HttpProvider::HttpProvider(outbound::Outbound& outbound) : Provider(catalogueText()), outbound_(outbound) {}

void HttpProvider::checkConfig(doc::DocumentView config, Problems& problems) const {
  if (std::string problem = baseUrlProblem(config.stringOr("baseUrl")); !problem.empty()) {
    problems.push_back({"/config/baseUrl", std::move(problem)});
  }
  // The config is exported, so it must not hold credentials.
  checkHeaders(objectAt(config, kHeaders), "/config/headers", {"authorization"}, problems);
}

void HttpProvider::checkSecrets(const SecretEdit& given, Problems& problems) const {
  const auto authorization = given.texts.find("authorization");
  if (authorization == given.texts.end() || !authorization->second) return;
  if (!outbound::isHeaderValue(authorization->second->reveal())) {
    problems.push_back({"/secrets/authorization", "must be printable ASCII without leading or trailing blanks"});
  }
}

void HttpProvider::checkArguments(const IntegrationRecord& integration, std::string_view, doc::DocumentView args,
                                  Problems& problems) const {
  const auto address =
      addressBelow(integration.config.view().stringOr("baseUrl"), args.stringOr("path"), objectAt(args, "query"));
  if (!address) {
    problems.insert(problems.end(), address.error().details().begin(), address.error().details().end());
  }
  const doc::DocumentView headers = objectAt(args, kHeaders);
  if (headers.count() > kMaxCallHeaders) {
    problems.push_back({"/args/headers", fmt::format("must be at most {} headers", kMaxCallHeaders)});
  }
  checkHeaders(headers, "/args/headers", secretHeaders(integration.secretNames), problems);
  const auto body = args.find("body");
  if (body && body->raw().size() > kMaxBody) problems.push_back({"/args/body", "must have at most 2 MiB"});
}

std::string HttpProvider::destination(doc::DocumentView config) const {
  const std::string_view authority = variables::authorityIn(config.stringOr("baseUrl"));
  if (variables::holdsReference(authority)) return std::string(authority);
  return outbound::originOf(authority).value_or("");
}

Task<doc::Value> HttpProvider::call(Call call) {
  const doc::DocumentView config = call.integration->config;
  const doc::DocumentView args = call.arguments;
  outbound::Request request;
  CO_TRY(request.url, addressBelow(config.stringOr("baseUrl"), args.stringOr("path"), objectAt(args, "query")));
  SentBody body = sentBody(args.find("body").value_or(doc::ValueView()));
  request.method = methodOf(call.op);
  request.headers = headersOf(call, body.contentType);
  request.body = std::move(body.bytes);
  request.trust = trustOf(config);
  request.timeout = timeoutOf(call);
  request.connectTimeout = std::min(request.connectTimeout, request.timeout);
  request.maxResponseBytes = kMaxHttpResponse;
  request.keys = call.keys();
  request.aborted = call.aborted;
  CO_TRY(const outbound::Response response, co_await outbound_.send(std::move(request)));
  co_return valueOf(resultOf(response));
}

}  // namespace mb::integrations
