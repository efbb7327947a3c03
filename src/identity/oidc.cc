#include "identity/oidc.h"

#include <fmt/format.h>

#include "base/url_text.h"
#include "identity/provider_urls.h"

namespace mb::identity {

namespace {

constexpr std::string_view kScope = "openid email profile";
constexpr std::string_view kWellKnown = "/.well-known/openid-configuration";
constexpr int64_t kCacheMs = 3600'000;
constexpr int64_t kFailedMs = 5'000;
constexpr int64_t kRefetchWindowMs = 60'000;
constexpr int kMaxRefetches = 5;
constexpr size_t kMaxAccessToken = 8 << 10;

std::unexpected<Error> unusable(std::string cause) {
  return fail(Error(ErrorCode::upstreamFailed, "request failed").withCause(std::move(cause)));
}

bool lists(doc::DocumentView document, std::string_view name, std::string_view item) {
  const auto list = document.find(name);
  if (!list || list->type() != doc::BsonType::array) return false;
  for (const doc::Element& element : list->asDocument()) {
    if (element.value.type() == doc::BsonType::string && element.value.asString() == item) return true;
  }
  return false;
}

bool isTrue(doc::DocumentView document, std::string_view name) {
  const auto value = document.find(name);
  if (!value) return false;
  // Some issuers send a string.
  if (value->type() == doc::BsonType::string) return value->asString() == "true";
  return value->type() == doc::BsonType::boolean && value->asBool();
}

Result<OidcMetadata> readMetadata(const std::string& issuer, doc::DocumentView document) {
  constexpr std::string_view kMethods = "token_endpoint_auth_methods_supported";
  if (document.stringOr("issuer") != issuer) return unusable("the discovery document is of another issuer");
  OidcMetadata out;
  out.authorizationEndpoint = document.stringOr("authorization_endpoint");
  out.tokenEndpoint = document.stringOr("token_endpoint");
  out.jwksUri = document.stringOr("jwks_uri");
  out.userinfoEndpoint = document.stringOr("userinfo_endpoint");
  for (const std::string& url : {out.authorizationEndpoint, out.tokenEndpoint, out.jwksUri}) {
    if (!isEndpointOf(issuer, url)) return unusable("the discovery document lacks an endpoint");
  }
  if (!isEndpointOf(issuer, out.userinfoEndpoint)) out.userinfoEndpoint.clear();
  out.secretInForm =
      lists(document, kMethods, "client_secret_post") && !lists(document, kMethods, "client_secret_basic");
  out.namesItself = isTrue(document, "authorization_response_iss_parameter_supported");
  return out;
}

void readPerson(ExternalIdentity& identity, doc::DocumentView claims) {
  if (identity.email.empty()) {
    identity.email = claims.stringOr("email");
    identity.emailVerified = isTrue(claims, "email_verified");
  }
  if (identity.name.empty()) identity.name = claims.stringOr("name");
}

}  // namespace

Oidc::Issuer& Oidc::issuerLocked(const ProviderClient& client) {
  const std::string key = (client.trust == outbound::Trust::deployment ? "d|" : "g|") + client.issuer;
  Issuer* known = issuers_.find(key);
  return known != nullptr ? *known : issuers_.put(key, {});
}

bool Oidc::mayRefetch(const ProviderClient& client) {
  const int64_t now = clock_.now().ms;
  const std::lock_guard lock(mutex_);
  Issuer& issuer = issuerLocked(client);
  if (now - issuer.refetchesSinceMs >= kRefetchWindowMs || now < issuer.refetchesSinceMs) {
    issuer.refetchesSinceMs = now;
    issuer.refetches = 0;
  }
  return ++issuer.refetches <= kMaxRefetches;
}

Task<std::shared_ptr<const OidcMetadata>> Oidc::metadata(ProviderClient client) {
  {
    const int64_t now = clock_.now().ms;
    const std::lock_guard lock(mutex_);
    const auto& cached = issuerLocked(client).metadata;
    if (cached.value && now - cached.atMs < kCacheMs) co_return cached.value;
    if (now - cached.failedMs < kFailedMs) co_return unusable("the issuer failed a moment ago");
  }
  std::string url = client.issuer;
  if (url.ends_with('/')) url.pop_back();
  outbound::Request request;
  request.url = url.append(kWellKnown);
  auto response = co_await callProvider(outbound_, client, std::move(request));
  Result<OidcMetadata> read = response ? readMetadata(client.issuer, *response) : fail(response.error().clone());
  const std::lock_guard lock(mutex_);
  auto& cached = issuerLocked(client).metadata;
  if (!read) {
    cached.failedMs = clock_.now().ms;
    co_return fail(std::move(read).error());
  }
  cached = {std::make_shared<const OidcMetadata>(*std::move(read)), clock_.now().ms, 0};
  co_return cached.value;
}

Task<std::shared_ptr<const KeySet>> Oidc::keys(ProviderClient client, std::string uri, bool again) {
  if (!again) {
    const std::lock_guard lock(mutex_);
    const auto& cached = issuerLocked(client).keys;
    if (cached.value && clock_.now().ms - cached.atMs < kCacheMs) co_return cached.value;
  }
  outbound::Request request;
  request.url = std::move(uri);
  CO_TRY(const doc::Document response, co_await callProvider(outbound_, client, std::move(request)));
  auto found = std::make_shared<const KeySet>(KeySet::parse(response));
  const std::lock_guard lock(mutex_);
  issuerLocked(client).keys = {found, clock_.now().ms, 0};
  co_return found;
}

Task<std::string> Oidc::start(ProviderClient client, OauthFlow flow) {
  CO_TRY(const auto known, co_await metadata(client));
  std::string url = authorizationUrl(known->authorizationEndpoint, client, flow, kScope);
  addQuery(url, "nonce", flow.nonce);
  co_return url;
}

Task<doc::Document> Oidc::tokens(ProviderClient client, OauthFlow flow, std::string code,
                                 std::shared_ptr<const OidcMetadata> metadata) {
  outbound::Request request;
  request.method = "POST";
  request.url = metadata->tokenEndpoint;
  request.headers.push_back({"content-type", "application/x-www-form-urlencoded"});
  request.body = codeForm(client, flow, code);
  if (!client.clientSecret.empty()) {
    const std::string secret(client.clientSecret.reveal());
    if (metadata->secretInForm) {
      addField(request.body, "client_secret", secret);
    } else {
      // Both parts are encoded as in a form before they are joined (RFC 6749, 2.3.1).
      const std::string pair = percentEncoded(client.clientId) + ":" + percentEncoded(secret);
      request.headers.push_back({"authorization", "Basic " + toBase64(pair)});
    }
  }
  co_return co_await callProvider(outbound_, client, std::move(request));
}

Task<> Oidc::checkSignature(ProviderClient client, IdToken token, ExpectedToken expected, std::string jwksUri) {
  CO_TRY(auto set, co_await keys(client, jwksUri, false));
  const PublicKey* key = set->find(token.keyId, token.algorithm);
  if (key == nullptr && mayRefetch(client)) {
    CO_TRY(set, co_await keys(client, jwksUri, true));
    key = set->find(token.keyId, token.algorithm);
  }
  if (key == nullptr) {
    co_return fail(Error(ErrorCode::unauthenticated, "the provider's response is not valid")
                       .withCause("id_token: no such key of the issuer"));
  }
  co_return checkIdToken(token, *key, expected);
}

Task<ExternalIdentity> Oidc::completed(ExternalIdentity identity, ProviderClient client, std::string endpoint,
                                       std::string accessToken) {
  if (!identity.email.empty() || endpoint.empty()) co_return identity;
  if (accessToken.empty() || accessToken.size() > kMaxAccessToken) co_return unusable("no access token");
  outbound::Request request;
  request.url = std::move(endpoint);
  request.headers.push_back({"authorization", "Bearer " + accessToken});
  CO_TRY(const doc::Document person, co_await callProvider(outbound_, client, std::move(request)));
  if (person.view().stringOr("sub") != identity.subject) co_return unusable("userinfo is of another person");
  readPerson(identity, person);
  co_return identity;
}

Task<ExternalIdentity> Oidc::finish(ProviderClient client, OauthFlow flow, std::string code, std::string issuer) {
  CO_TRY(const auto known, co_await metadata(client));
  if (issuer.empty() ? known->namesItself : issuer != client.issuer) {
    co_return unusable("the callback is of another issuer");
  }
  CO_TRY(const doc::Document response, co_await tokens(client, flow, std::move(code), known));
  CO_TRY(const IdToken token, IdToken::parse(response.view().stringOr("id_token")));
  const ExpectedToken expected{client.issuer, client.clientId, flow.nonce, clock_.now()};
  CO_RETURN_IF_ERROR(co_await checkSignature(client, token, expected, known->jwksUri));
  ExternalIdentity identity;
  identity.issuer = client.issuer;
  identity.subject = token.claims.view().stringOr("sub");
  readPerson(identity, token.claims);
  co_return co_await completed(std::move(identity), client, known->userinfoEndpoint,
                               std::string(response.view().stringOr("access_token")));
}

}  // namespace mb::identity
