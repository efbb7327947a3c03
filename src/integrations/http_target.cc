#include "integrations/http_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "document/json.h"
#include "outbound/outbound.h"

namespace mb::integrations {

namespace {

constexpr size_t kMaxBytes = 8 << 10;
constexpr std::string_view kUnreserved = "-._~";
constexpr std::string_view kInPath = "-._~!$&'()*+,;=:@/";
constexpr std::string_view kInQuery = "-._~!$&'()*+,;=:@/?";

std::unexpected<Error> refused(std::string_view where, std::string message) {
  return fail(Error(ErrorCode::validation, fmt::format("/args/{} {}", where, message))
                  .withDetail(fmt::format("/args/{}", where), message));
}

bool isAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void appendEncoded(std::string& out, std::string_view text, std::string_view kept) {
  for (const char c : text) {
    if (isAlnum(c) || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

// Existing escapes stay; nullopt where a percent sign is not part of an escape, or an escape is of a control character.
std::optional<std::string> escaped(std::string_view text, std::string_view kept) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      appendEncoded(out, text.substr(at++, 1), kept);
      continue;
    }
    const int high = at + 2 < text.size() ? hexDigit(text[at + 1]) : -1;
    const int low = high < 0 ? -1 : hexDigit(text[at + 2]);
    if (low < 0 || isControl(static_cast<char>(high * 16 + low))) return std::nullopt;
    out += text.substr(at, 3);
    at += 3;
  }
  return out;
}

// `escapedPath` as a lenient server may decode it: escapes decoded, backslashes as slashes.
std::string decodedLeniently(std::string_view escapedPath) {
  std::string out;
  for (size_t at = 0; at < escapedPath.size(); ++at) {
    char c = escapedPath[at];
    if (c == '%') {
      c = static_cast<char>(hexDigit(escapedPath[at + 1]) * 16 + hexDigit(escapedPath[at + 2]));
      at += 2;
    }
    out += c == '\\' ? '/' : c;
  }
  return out;
}

bool hasDotSegments(std::string_view escapedPath) {
  const std::string text = decodedLeniently(escapedPath);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('/', at), text.size());
    // Some servers treat text after ";" as a parameter of the segment.
    const std::string_view segment = std::string_view(text).substr(at, end - at);
    const std::string_view name = segment.substr(0, segment.find(';'));
    if (name == "." || name == "..") return true;
    at = end + 1;
  }
  return false;
}

bool beginsWithScheme(std::string_view path) {
  const size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return std::ranges::all_of(path.substr(0, colon),
                             [](char c) { return isAlnum(c) || c == '+' || c == '-' || c == '.'; });
}

// "" for a value that cannot be part of a query.
std::string queryText(doc::ValueView value) {
  if (value.type() == doc::BsonType::string) return std::string(value.asString());
  std::string text;
  if (value.isNumber() || value.type() == doc::BsonType::boolean || value.type() == doc::BsonType::date) {
    doc::writeJsonValue(text, value);
    std::erase(text, '"');
  }
  return text;
}

Result<> addQuery(std::string& url, std::string_view name, doc::ValueView value) {
  if (value.type() == doc::BsonType::null) return {};
  if (value.type() == doc::BsonType::array) {
    for (const auto& [index, each] : value.asDocument()) {
      if (each.type() == doc::BsonType::array) return refused(fmt::format("query/{}", name), "must not hold lists");
      RETURN_IF_ERROR(addQuery(url, name, each));
    }
    return {};
  }
  const std::string text = queryText(value);
  if (text.empty() && value.type() != doc::BsonType::string) {
    return refused(fmt::format("query/{}", name), "must be a string, a number, true or false, or a list of these");
  }
  url += url.find('?') == std::string::npos ? '?' : '&';
  appendEncoded(url, name, kUnreserved);
  url += '=';
  appendEncoded(url, text, kUnreserved);
  return {};
}

}  // namespace

std::string baseUrlProblem(std::string_view baseUrl) {
  const auto origin = outbound::originOf(baseUrl);
  if (!origin) return origin.error().message();
  if (baseUrl.find_first_of("?#") != std::string_view::npos) return "must end with its path";
  const size_t path = baseUrl.find('/', baseUrl.find("://") + 3);
  if (path == std::string_view::npos) return {};
  const auto whole = escaped(baseUrl.substr(path), kInPath);
  return whole && *whole == baseUrl.substr(path) && !hasDotSegments(*whole) ? "" : "must have a valid path";
}

Result<std::string> addressBelow(std::string_view baseUrl, std::string_view path, doc::DocumentView query) {
  if (path.size() > kMaxBytes) return refused("path", "is too long");
  if (std::ranges::any_of(path, [](char c) { return isControl(c) || c == '\\' || c == '#'; })) {
    return refused("path", "must not hold control characters, backslashes or \"#\"");
  }
  const size_t mark = path.find('?');
  std::string_view own = path.substr(0, mark);
  const std::string_view ownQuery = mark == std::string_view::npos ? std::string_view() : path.substr(mark + 1);
  if (own.starts_with("//")) return refused("path", "must begin with a single \"/\"");
  if (!own.starts_with('/') && beginsWithScheme(own)) return refused("path", "must be a path, not an address");
  const bool slash = own.starts_with('/');
  if (slash) own.remove_prefix(1);
  const auto segments = escaped(own, kInPath);
  const auto firstQuery = escaped(ownQuery, kInQuery);
  if (!segments || !firstQuery) return refused("path", "holds a percent sign that is not part of a valid escape");
  if (hasDotSegments(*segments)) return refused("path", "must not hold segments that are \".\" or \"..\"");
  // A second slash at the beginning, escaped or not.
  if (decodedLeniently(*segments).starts_with('/')) return refused("path", "must begin with a single \"/\"");
  std::string url(baseUrl);
  if (slash || !segments->empty()) {
    if (url.ends_with('/')) url.pop_back();
    url += '/';
    url += *segments;
  }
  if (!firstQuery->empty()) url += "?" + *firstQuery;
  for (const auto& [name, value] : query) RETURN_IF_ERROR(addQuery(url, name, value));
  if (url.size() > kMaxBytes) return refused("path", "makes an address that is too long");
  const auto origin = outbound::originOf(url);
  if (!origin || *origin != outbound::originOf(baseUrl)) return refused("path", "must stay below baseUrl");
  return url;
}

}  // namespace mb::integrations
