// OpenID Connect: discovery, the authorization code, the id_token. What issuers publish is cached for an hour, at most
// 256 issuers; a key that is not there is looked for again, five times a minute an issuer. Private to identity/.
#pragma once

#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/lru_cache.h"
#include "base/task.h"
#include "identity/id_token.h"
#include "identity/provider_client.h"

namespace mb::identity {

// What of an issuer's discovery document is used.
struct OidcMetadata {
  std::string authorizationEndpoint;
  std::string tokenEndpoint;
  std::string jwksUri;
  std::string userinfoEndpoint;  // "": none
  bool secretInForm = false;     // it takes the client's secret in the form only
  bool namesItself = false;      // its callbacks carry `iss` (RFC 9207)
};

class Oidc {
 public:
  Oidc(outbound::Outbound& outbound, const Clock& clock) : outbound_(outbound), clock_(clock), issuers_(256) {}

  // Where the browser goes. Fails with what a call to the issuer fails with.
  Task<std::string> start(ProviderClient client, OauthFlow flow);
  // Who signed in. `issuer` is what the callback said of itself, empty where it said nothing. Fails with
  // unauthenticated, or with what a call to the issuer fails with.
  Task<ExternalIdentity> finish(ProviderClient client, OauthFlow flow, std::string code, std::string issuer);

 private:
  template <class T>
  struct Kept {
    std::shared_ptr<const T> value;
    int64_t atMs = 0;
    int64_t failedMs = 0;
  };
  struct Issuer {
    Kept<OidcMetadata> metadata;
    Kept<KeySet> keys;
    int64_t refetchesSinceMs = 0;
    int refetches = 0;
  };

  Task<std::shared_ptr<const OidcMetadata>> metadata(ProviderClient client);
  Task<std::shared_ptr<const KeySet>> keys(ProviderClient client, std::string uri, bool again);
  Task<doc::Document> tokens(ProviderClient client, OauthFlow flow, std::string code,
                             std::shared_ptr<const OidcMetadata> metadata);
  Task<> checkSignature(ProviderClient client, IdToken token, ExpectedToken expected, std::string jwksUri);
  // With what the id_token did not say of the address.
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
