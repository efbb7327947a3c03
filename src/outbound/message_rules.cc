#include "outbound/message_rules.h"

namespace mb::outbound {

namespace {

constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
// Headers that the client sets, and those of a single connection.
constexpr std::string_view kOwn[] = {
    "host",   "content-length",      "connection",      "keep-alive", "te", "trailer", "upgrade", "transfer-encoding",
    "expect", "proxy-authorization", "proxy-connection"};
constexpr std::string_view kCrossOriginHeaders[] = {"accept", "accept-language", "content-type", "user-agent"};
constexpr size_t kMaxHeaders = 100;
constexpr size_t kMaxRequestHeaderBytes = 32 << 10;
constexpr size_t kMaxRecipients = 50;
constexpr size_t kMaxMailBytes = 10 << 20;
constexpr size_t kMaxAddressBytes = 254;

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

bool equalsLower(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

bool isTokenCharacter(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

bool isText(std::string_view value) {
  return std::ranges::none_of(value,
                              [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

bool isEnvelopeAddress(std::string_view address) {
  if (address.empty() || address.size() > kMaxAddressBytes || address.find('@') == std::string_view::npos) return false;
  return std::ranges::none_of(
      address, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '<' || c == '>'; });
}

// Every line ends in CRLF, and neither CR nor LF occurs alone: a server might take it for a line ending.
bool hasCleanLines(std::string_view data) {
  if (!data.ends_with("\r\n")) return false;
  for (size_t at = 0; at < data.size(); ++at) {
    if (data[at] == '\0') return false;
    if (data[at] == '\n') return false;
    if (data[at] != '\r') continue;
    if (data[++at] != '\n') return false;
  }
  return true;
}

}  // namespace

bool isHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, isTokenCharacter);
}

bool isHeaderValue(std::string_view value) {
  if (value.starts_with(' ') || value.ends_with(' ')) return false;
  return std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool isClientHeader(std::string_view name) {
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return equalsLower(name, own); });
}

bool isNamed(const Header& header, std::string_view lowerName) {
  return equalsLower(header.name, lowerName);
}

bool mayCrossOrigins(const Header& header) {
  return std::ranges::any_of(kCrossOriginHeaders, [&](std::string_view name) { return isNamed(header, name); });
}

Result<> checkRequest(const Request& request) {
  if (std::ranges::find(kMethods, request.method) == std::end(kMethods)) {
    return invalid("must use one of the methods GET, HEAD, POST, PUT, PATCH and DELETE");
  }
  if (request.headers.size() > kMaxHeaders) return invalid("has too many headers");
  size_t bytes = 0;
  for (const Header& header : request.headers) {
    bytes += header.name.size() + header.value.size();
    if (!isHeaderName(header.name)) return invalid("has a header whose name is not valid");
    if (!isText(header.value)) return invalid("has control characters in the header " + header.name);
    if (isClientHeader(header.name)) return invalid("must not set the header " + header.name);
  }
  if (bytes > kMaxRequestHeaderBytes) return invalid("has headers that are too long");
  return {};
}

Result<> checkMail(const MailMessage& message) {
  if (!isEnvelopeAddress(message.from)) return invalid("has a sender that is not a valid address");
  if (message.to.empty() || message.to.size() > kMaxRecipients) return invalid("needs 1 to 50 recipients");
  if (!std::ranges::all_of(message.to, isEnvelopeAddress)) {
    return invalid("has a recipient that is not a valid address");
  }
  if (message.data.size() > kMaxMailBytes) return invalid("is too long");
  if (!hasCleanLines(message.data)) return invalid("has lines that do not end in CRLF");
  if (!isText(message.server.user) || !isText(message.server.password.reveal())) {
    return invalid("has credentials with control characters");
  }
  return {};
}

}  // namespace mb::outbound
