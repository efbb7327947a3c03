#include "http/message.h"

#include "base/text.h"
#include "base/utf8.h"

namespace mb::http {

namespace {

// Stands for itself in a path and in a query.
bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

}  // namespace

std::string_view methodName(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::remove:
      return "DELETE";
    case Method::options:
      return "OPTIONS";
    case Method::other:
      break;
  }
  return "OTHER";
}

bool equalsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (lowerAscii(a[i]) != lowerAscii(b[i])) return false;
  }
  return true;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (equalsIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

Response Response::empty(int status) {
  Response response;
  response.status = status;
  return response;
}

Response Response::json(int status, std::string body) {
  return text(status, "application/json", std::move(body));
}

Response Response::text(int status, std::string_view contentType, std::string body) {
  Response response;
  response.status = status;
  response.contentType = contentType;
  response.body = std::move(body);
  return response;
}

Response Response::failure(const Error& error) {
  Response response = json(meaningOf(error.code()).status, errorBody(error));
  response.headers.emplace_back("x-content-type-options", "nosniff");  // it may quote a client
  if (const auto seconds = error.retryAfterSeconds())
    response.headers.emplace_back("retry-after", std::to_string(*seconds));
  if (response.status == 401) response.headers.emplace_back("www-authenticate", "Bearer");
  if (response.status == 426) {
    // RFC 9110, 15.5.22, and RFC 6455, 4.4.
    response.headers.emplace_back("upgrade", "websocket");
    response.headers.emplace_back("connection", "Upgrade");
    response.headers.emplace_back("sec-websocket-version", "13");
  }
  if (!error.allow().empty()) response.headers.emplace_back("allow", error.allow());
  return response;
}

std::optional<std::string> percentDecode(std::string_view text, bool plusIsSpace) {
  if (std::ranges::all_of(text, isPlain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 1 < text.size() ? hexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' && plusIsSpace ? ' ' : text[i];
    }
  }
  if (out.find('\0') != std::string::npos || !isUtf8(out)) return std::nullopt;
  return out;
}

Result<std::vector<std::string>> splitPath(std::string_view rawPath) {
  std::vector<std::string> segments;
  segments.reserve(8);
  if (rawPath.empty() || rawPath[0] != '/') return fail(ErrorCode::notFound, "no such path");
  if (rawPath == "/") return segments;
  size_t at = 1;
  while (true) {
    const size_t slash = rawPath.find('/', at);
    const std::string_view raw = rawPath.substr(at, slash == std::string_view::npos ? slash : slash - at);
    auto decoded = percentDecode(raw);
    if (!decoded) return fail(ErrorCode::notFound, "no such path");
    segments.push_back(*std::move(decoded));
    if (slash == std::string_view::npos) return segments;
    at = slash + 1;
  }
}

Result<QueryParams> QueryParams::parse(std::string_view rawQuery) {
  QueryParams params;
  while (!rawQuery.empty()) {
    const size_t amp = rawQuery.find('&');
    const std::string_view pair = rawQuery.substr(0, amp);
    rawQuery = amp == std::string_view::npos ? std::string_view() : rawQuery.substr(amp + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    auto name = percentDecode(pair.substr(0, equals), true);
    auto value = percentDecode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value) return fail(ErrorCode::invalidParam, "the query string is not well-formed");
    params.items_.emplace_back(*std::move(name), *std::move(value));
  }
  return params;
}

std::optional<std::string_view> QueryParams::get(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace mb::http
