// A provider that is ready to be talked to, and what it says of a person. Private to identity/.
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
  std::string project;  // whose calls these are; "" on the control plane
};

// What one sign-in carries from its start to its callback.
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

// A call to a provider whose answer is 200 and JSON: an object, or a list under the key "". Fails with upstreamFailed
// for other answers.
Task<doc::Document> callProvider(outbound::Outbound& outbound, const ProviderClient& client, outbound::Request request);
// The S256 challenge of a verifier.
std::string challengeOf(std::string_view verifier);
// The parameters that all providers take.
std::string authorizationUrl(std::string endpoint, const ProviderClient& client, const OauthFlow& flow,
                             std::string_view scope);
// The form that trades a code for tokens, without the client's secret.
std::string codeForm(const ProviderClient& client, const OauthFlow& flow, std::string_view code);

}  // namespace mb::identity
