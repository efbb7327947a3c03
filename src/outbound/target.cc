#include "outbound/target.h"

#include <curl/curl.h>

namespace mb::outbound {

namespace {

constexpr size_t kMaxUrlBytes = 8 << 10;
constexpr std::string_view kShouldBe = "must be an address such as https://example.com/path";

struct UrlCloser {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlCloser>;

std::unexpected<Error> refused(std::string_view message = kShouldBe) {
  return fail(ErrorCode::validation, std::string(message));
}

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

// Refuses what libcurl parses leniently: another parser might read another host from the same text.
bool isPlain(std::string_view url) {
  if (url.empty() || url.size() > kMaxUrlBytes) return false;
  return std::ranges::none_of(url,
                              [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\'; });
}

// "scheme://h": exactly two slashes before the host.
bool namesHost(std::string_view url) {
  const size_t slashes = url.find("://");
  return slashes != std::string_view::npos && slashes + 3 < url.size() && url[slashes + 3] != '/';
}

Result<Target> targetOf(CURLU* url) {
  Target out;
  out.scheme = part(url, CURLUPART_SCHEME);
  if (out.scheme != "http" && out.scheme != "https") return refused();
  if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty()) {
    return refused("must not hold a user name or password");
  }
  std::string host = part(url, CURLUPART_HOST);
  if (host.empty()) return refused();
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string port = part(url, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  out.origin = out.scheme + "://" + host + (port.empty() ? "" : ":" + port);
  curl_url_set(url, CURLUPART_FRAGMENT, nullptr, 0);
  out.url = part(url, CURLUPART_URL);
  if (out.url.empty()) return refused();
  return out;
}

}  // namespace

Result<Target> parseTarget(std::string_view text) {
  if (!isPlain(text) || !namesHost(text)) return refused();
  const Url url(curl_url());
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED) return refused("must not hold a user name or password");
  if (code != CURLUE_OK) return refused();
  return targetOf(url.get());
}

Result<Target> resolveTarget(const Target& base, std::string_view location) {
  if (!isPlain(location)) return refused();
  const Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, base.url.c_str(), 0) != CURLUE_OK) return refused();
  if (curl_url_set(url.get(), CURLUPART_URL, std::string(location).c_str(), CURLU_DISALLOW_USER) != CURLUE_OK) {
    return refused();
  }
  return targetOf(url.get());
}

Result<std::string> originOf(std::string_view url) {
  TRY(Target target, parseTarget(url));
  return std::move(target.origin);
}

Result<SmtpServer> parseSmtpUrl(std::string_view text) {
  constexpr std::string_view kSmtp = "must be an address such as smtp://user:password@mail.example.com:587";
  if (!isPlain(text) || !namesHost(text)) return refused(kSmtp);
  const Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), 0) != CURLUE_OK) return refused(kSmtp);
  const std::string scheme = part(url.get(), CURLUPART_SCHEME);
  if (scheme != "smtp" && scheme != "smtps") return refused("must begin with smtp:// or smtps://");
  const std::string path = part(url.get(), CURLUPART_PATH);
  if ((!path.empty() && path != "/") || text.find_first_of("?#") != std::string_view::npos ||
      !part(url.get(), CURLUPART_OPTIONS).empty()) {
    return refused("must end after host and port");
  }
  SmtpServer server;
  server.host = part(url.get(), CURLUPART_HOST);
  server.user = part(url.get(), CURLUPART_USER, CURLU_URLDECODE);
  server.password = Secret(part(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE));
  if (server.host.empty()) return refused(kSmtp);
  // libcurl decodes a user with a malformed escape, or an escaped control character, to nothing.
  if (server.user.empty() && text.find('@') != std::string_view::npos) return refused(kSmtp);
  if (server.user.empty() != server.password.empty()) return refused("must hold user and password, or neither");
  const std::string port = part(url.get(), CURLUPART_PORT);
  server.port = port.empty() ? (scheme == "smtps" ? 465 : 587) : std::stoi(port);
  if (scheme == "smtps") {
    server.tls = SmtpServer::Tls::implicit;
  } else if (!server.user.empty()) {
    server.tls = SmtpServer::Tls::required;
  }
  return server;
}

Result<std::string> smtpUrl(const SmtpServer& server) {
  const Url url(curl_url());
  const bool implicit = server.tls == SmtpServer::Tls::implicit;
  if (!isPlain(server.host) || server.port < 1 || server.port > 65535 ||
      curl_url_set(url.get(), CURLUPART_SCHEME, implicit ? "smtps" : "smtp", 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_HOST, server.host.c_str(), 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_PORT, std::to_string(server.port).c_str(), 0) != CURLUE_OK) {
    return refused("is not a valid host and port of a mail server");
  }
  return part(url.get(), CURLUPART_URL);
}

}  // namespace mb::outbound
