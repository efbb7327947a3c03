#include "functions/http_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace mb::functions {

namespace {

using doc::BsonType;

constexpr size_t kMaxHeaders = 64;
constexpr size_t kMaxHeaderBytes = 16 << 10;

// Headers of the connection, headers that only the server sends, and headers by which one response would affect other
// responses of its origin.
constexpr std::array<std::string_view, 24> kForbidden = {"alt-svc",
                                                         "clear-site-data",
                                                         "connection",
                                                         "content-encoding",
                                                         "content-length",
                                                         "date",
                                                         "expect",
                                                         "host",
                                                         "keep-alive",
                                                         "nel",
                                                         "proxy-authenticate",
                                                         "proxy-authorization",
                                                         "proxy-connection",
                                                         "report-to",
                                                         "reporting-endpoints",
                                                         "server",
                                                         "service-worker-allowed",
                                                         "strict-transport-security",
                                                         "te",
                                                         "trailer",
                                                         "transfer-encoding",
                                                         "upgrade",
                                                         "x-request-id",
                                                         "x-service-run"};
// In addition, if the origin is shared.
constexpr std::array<std::string_view, 2> kForbiddenShared = {"origin-agent-cluster", "set-cookie"};

bool isToken(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || kMarks.contains(c);
  });
}

bool isValue(std::string_view value) {
  return std::ranges::none_of(value,
                              [](char c) { return static_cast<unsigned char>(c) < 0x20 ? c != '\t' : c == 0x7F; });
}

bool maySend(std::string_view name, Origin origin) {
  if (!isToken(name) || (std::ranges::find(kForbidden, name) != kForbidden.end())) return false;
  // The server sets the rights of other origins, for a whole project.
  if (name.starts_with("access-control-") || name.starts_with("ratelimit")) return false;
  return origin == Origin::own || !(std::ranges::find(kForbiddenShared, name) != kForbiddenShared.end());
}

std::optional<std::string> textOf(doc::ValueView value) {
  if (value.type() == BsonType::string) return std::string(value.asString());
  if (value.type() == BsonType::boolean) return value.asBool() ? "true" : "false";
  const auto whole = value.isNumber() ? value.toInteger() : std::nullopt;
  if (whole) return fmt::format("{}", *whole);
  return std::nullopt;
}

// Removes the attribute "domain" (RFC 6265, 5.2.3), by which the cookie would be sent to other hosts as well.
std::string hostOnly(std::string_view cookie) {
  size_t end = std::min(cookie.find(';'), cookie.size());
  std::string out(cookie.substr(0, end));
  while (end < cookie.size()) {
    const size_t begin = end + 1;
    end = std::min(cookie.find(';', begin), cookie.size());
    const std::string_view attribute = cookie.substr(begin, end - begin);
    if (lowerAscii(trimmed(attribute.substr(0, attribute.find('=')), " \t")) == "domain") continue;
    out += ';';
    out += attribute;
  }
  return out;
}

void addHeader(HttpResult& answer, const std::string& name, doc::ValueView value) {
  auto text = textOf(value);
  if (!text || !isValue(*text)) return;
  answer.headers.emplace_back(name, name == "set-cookie" ? hostOnly(*text) : *std::move(text));
}

Result<> readHeaders(HttpResult& answer, doc::DocumentView given, Origin origin) {
  for (const auto& [key, value] : given) {
    const std::string name = lowerAscii(key);
    if (!maySend(name, origin)) continue;
    if (value.type() == BsonType::array) {
      for (const doc::Element& each : value.asDocument()) addHeader(answer, name, each.value);
    } else {
      addHeader(answer, name, value);
    }
  }
  size_t bytes = 0;
  for (const auto& [name, value] : answer.headers) bytes += name.size() + value.size();
  if (answer.headers.size() <= kMaxHeaders && bytes <= kMaxHeaderBytes) return {};
  return fail(ErrorCode::validation, fmt::format("a response must have at most {} headers, of {} bytes together",
                                                 kMaxHeaders, kMaxHeaderBytes));
}

// Whether an object describes a response; otherwise it is the body.
bool isResult(doc::DocumentView object) {
  for (const auto& [key, value] : object) {
    if (key == "status") {
      if (!value.isNumber()) return false;
    } else if (key == "headers") {
      if (value.type() != BsonType::document && value.type() != BsonType::null) return false;
    } else if (key != "body") {
      return false;
    }
  }
  return !object.empty();
}

}  // namespace

Result<HttpResult> httpResult(doc::ValueView result, Origin origin) {
  HttpResult answer;
  if (result.type() != BsonType::document || !isResult(result.asDocument())) {
    answer.body = doc::Value(result);
    return answer;
  }
  const doc::DocumentView given = result.asDocument();
  if (const auto status = given.find("status")) {
    const auto whole = status->toInteger();
    if (!whole || *whole < 200 || *whole > 599) return fail(ErrorCode::validation, "status must be 200 to 599");
    answer.status = static_cast<int>(*whole);
  }
  const auto headers = given.find("headers");
  if (headers && headers->type() == BsonType::document)
    RETURN_IF_ERROR(readHeaders(answer, headers->asDocument(), origin));
  if (const auto body = given.find("body")) answer.body = doc::Value(*body);
  return answer;
}

}  // namespace mb::functions
