// Scripted providers for tests: an Outbound with scripted responses, and an issuer of OpenID Connect in it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "identity/provider_client.h"
#include "outbound/outbound.h"

namespace mb::identity {

inline outbound::Response responseOf(std::string body, int status = 200) {
  outbound::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// Requests without a handler fail as without a connection. Any core.
class ScriptedOutbound final : public outbound::Outbound {
 public:
  using Handler = std::function<Result<outbound::Response>(const outbound::Request&)>;

  // Sets the handler of exactly this URL.
  void on(std::string url, Handler handler) {
    const std::scoped_lock lock(mutex_);
    handlers_[std::move(url)] = std::move(handler);
  }
  void on(std::string url, std::string body, int status = 200) {
    on(std::move(url), [body = std::move(body), status](const outbound::Request&) { return responseOf(body, status); });
  }
  std::vector<outbound::Request> seen(std::string_view url) const {
    const std::scoped_lock lock(mutex_);
    std::vector<outbound::Request> out;
    for (const outbound::Request& request : seen_) {
      if (request.url == url) out.push_back(request);
    }
    return out;
  }
  size_t calls() const {
    const std::scoped_lock lock(mutex_);
    return seen_.size();
  }

  Task<outbound::Response> send(outbound::Request request) override { co_return handle(request); }
  Task<> mail(outbound::MailMessage) override { co_return fail(ErrorCode::upstreamFailed, "request failed"); }

 private:
  Result<outbound::Response> handle(const outbound::Request& request) {
    Handler handler;
    {
      const std::scoped_lock lock(mutex_);
      seen_.push_back(request);
      const auto found = handlers_.find(request.url);
      if (found == handlers_.end()) return fail(ErrorCode::upstreamFailed, "request failed");
      handler = found->second;
    }
    return handler(request);
  }

  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;
  std::vector<outbound::Request> seen_;
};

inline std::string headerOf(const outbound::Request& request, std::string_view name) {
  for (const outbound::Header& header : request.headers) {
    if (header.name == name) return header.value;
  }
  return "";
}
// The raw value of a field of a form or a query; "" if absent.
inline std::string fieldOf(std::string_view text, std::string_view name) {
  text.remove_prefix(std::min(text.find('?') + 1, text.size()));
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    if (field.starts_with(name) && field.substr(name.size()).starts_with('=')) {
      return std::string(field.substr(name.size() + 1));
    }
    text.remove_prefix(std::min(field.size() + 1, text.size()));
  }
  return "";
}

// The claims of the next id_token; empty ones are left out.
struct Claims {
  std::string issuer;
  std::string audience;
  std::string subject = "ann-1";
  std::string nonce;
  std::string email = "ann@example.com";
  bool verified = true;
  int64_t issuedAfter = 0;  // seconds from now
  int64_t expiresAfter = 300;
  std::string algorithm = "ES256";
};

class FakeIssuer {
 public:
  FakeIssuer(ScriptedOutbound& outside, const Clock& clock, std::string issuer, std::string clientId)
      : outside_(outside), clock_(clock), issuer_(std::move(issuer)) {
    claims.issuer = issuer_;
    claims.audience = std::move(clientId);
    rotate();
    discover(metadata());
    outside_.on(tokenUrl(), [this](const outbound::Request&) { return responseOf(tokenResponse()); });
  }

  std::string configurationUrl() const { return issuer_ + "/.well-known/openid-configuration"; }
  std::string keysUrl() const { return issuer_ + "/keys"; }
  std::string tokenUrl() const { return issuer_ + "/token"; }
  std::string userinfoUrl() const { return issuer_ + "/me"; }
  std::string metadata(const std::string& more = "") const {
    return R"({"issuer":")" + issuer_ + R"(","authorization_endpoint":")" + issuer_ + R"(/auth","token_endpoint":")" +
           tokenUrl() + R"(","jwks_uri":")" + keysUrl() + "\"" + more + "}";
  }
  void discover(std::string body, int status = 200) { outside_.on(configurationUrl(), std::move(body), status); }

  // Creates a key, which signs from now on and is the only one published.
  void rotate() {
    key_ = std::make_unique<SigningKey>(SigningKey::generate());
    signAs(key_->keyId());
    publish();
  }
  void publish() { outside_.on(keysUrl(), R"({"keys":[)" + jwk() + "]}"); }
  std::string jwk() const {
    const auto [x, y] = key_->publicPoint();
    return R"({"kty":"EC","crv":"P-256","use":"sig","kid":")" + key_->keyId() + R"(","x":")" + toBase64Url(x) +
           R"(","y":")" + toBase64Url(y) + "\"}";
  }
  std::string keyId() const { return key_->keyId(); }
  // Sets the key id in the tokens' headers.
  void signAs(std::string keyId) { keyId_ = std::move(keyId); }

  std::string idToken() const {
    const std::string header = R"({"alg":")" + claims.algorithm + R"(","kid":")" + keyId_ + "\"}";
    const std::string text = toBase64Url(header) + "." + toBase64Url(payload());
    return text + "." + toBase64Url(key_->sign(text));
  }
  std::string tokenResponse() const { return R"({"access_token":"at-1","id_token":")" + idToken() + "\"}"; }

  Claims claims;

 private:
  std::string payload() const {
    const int64_t now = clock_.now().ms / 1000;
    std::string out = R"({"iat":)" + std::to_string(now + claims.issuedAfter) + R"(,"exp":)" +
                      std::to_string(now + claims.expiresAfter) + R"(,"email_verified":)" +
                      (claims.verified ? "true" : "false");
    const std::pair<const char*, const std::string*> texts[] = {{"iss", &claims.issuer},
                                                                {"aud", &claims.audience},
                                                                {"sub", &claims.subject},
                                                                {"nonce", &claims.nonce},
                                                                {"email", &claims.email}};
    for (const auto& [name, text] : texts) {
      if (!text->empty()) out += std::string(",\"") + name + "\":\"" + *text + "\"";
    }
    return out + "}";
  }

  ScriptedOutbound& outside_;
  const Clock& clock_;
  const std::string issuer_;
  std::unique_ptr<SigningKey> key_;
  std::string keyId_;
};

}  // namespace mb::identity
