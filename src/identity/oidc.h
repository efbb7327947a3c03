// OpenID Connect: discovery, the authorization code, the id_token. Metadata and keys of issuers are cached for an hour,
// of at most 256 issuers; for an unknown key the keys are fetched again, at most five times a minute per issuer.
// Private to identity/.
#pragma once

#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/lru_cache.h"
#include "base/task.h"
#include "identity/id_token.h"
#include "identity/provider_client.h"

namespace mb::identity {

// The fields of an issuer's discovery document that are used.
struct OidcMetadata {
  std::string authorizationEndpoint;
  std::string tokenEndpoint;
  std::string jwksUri;
  std::string userinfoEndpoint;  // "": none
  bool secretInForm = false;     // it accepts the client's secret in the form only
  bool namesItself = false;      // its callbacks carry `iss` (RFC 9207)
};

class Oidc {
 public:
  Oidc(outbound::Outbound& outbound, const Clock& clock) : outbound_(outbound), clock_(clock), issuers_(256) {}

  // The URL to send the browser to. Fails with the error of a call to the issuer.
  Task<std::string> start(ProviderClient client, OauthFlow flow);
  // The identity that signed in. `issuer` is the callback's parameter `iss`, empty if absent. Fails with
  // unauthenticated, or with the error of a call to the issuer.
  Task<ExternalIdentity> finish(ProviderClient client, OauthFlow flow, std::string code, std::string issuer);

 private:
  template <class T>
  struct CachedValue {
    std::shared_ptr<const T> value;
    int64_t atMs = 0;
    int64_t failedMs = 0;
  };
  struct Issuer {
    CachedValue<OidcMetadata> metadata;
    CachedValue<KeySet> keys;
    int64_t refetchesSinceMs = 0;
    int refetches = 0;
  };

  Task<std::shared_ptr<const OidcMetadata>> metadata(ProviderClient client);
  Task<std::shared_ptr<const KeySet>> keys(ProviderClient client, std::string uri, bool again);
  Task<doc::Document> tokens(ProviderClient client, OauthFlow flow, std::string code,
                             std::shared_ptr<const OidcMetadata> metadata);
  Task<> checkSignature(ProviderClient client, IdToken token, ExpectedToken expected, std::string jwksUri);
  // Adds the address from the userinfo endpoint where the id_token has none.
  Task<ExternalIdentity> completed(ExternalIdentity identity, ProviderClient client, std::string endpoint,
                                   std::string accessToken);

  Issuer& issuerLocked(const ProviderClient& client);
  bool mayRefetch(const ProviderClient& client);

  outbound::Outbound& outbound_;
  const Clock& clock_;
  std::mutex mutex_;
  LruCache<Issuer> issuers_;
};

}  // namespace mb::identity
