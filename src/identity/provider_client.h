// The client of a provider, and the identity that the provider asserts. Private to identity/.
#pragma once

#include <string>

#include "base/crypto.h"
#include "document/bson.h"
#include "outbound/outbound.h"

namespace mb::identity {

struct ProviderClient {
  std::string provider;
  std::string clientId;
  Secret clientSecret;  // empty: a public client
  // Of OpenID Connect: the issuer. Of GitHub: its address, "" for the public service.
  std::string issuer;
  outbound::Trust trust = outbound::Trust::guarded;
  std::string project;  // the id of the project that calls; "" on the control plane
};

// The values of one sign-in from its start to its callback.
struct OauthFlow {
  std::string callbackUrl;
  std::string state;
  std::string verifier;  // PKCE (RFC 7636)
  std::string nonce;
};

struct ExternalIdentity {
  std::string issuer;
  std::string subject;
  std::string email;
  bool emailVerified = false;
  std::string name;
};

// Calls a provider and returns its JSON response: an object, or a list under the key "". Fails with upstreamFailed if
// the status is not 200 or the body not JSON.
Task<doc::Document> callProvider(outbound::Outbound& outbound, const ProviderClient& client, outbound::Request request);
// The S256 challenge of a verifier.
std::string challengeOf(std::string_view verifier);
// The authorization URL, with the parameters common to all providers.
std::string authorizationUrl(std::string endpoint, const ProviderClient& client, const OauthFlow& flow,
                             std::string_view scope);
// The form that exchanges a code for tokens, without the client's secret.
std::string codeForm(const ProviderClient& client, const OauthFlow& flow, std::string_view code);

}  // namespace mb::identity
