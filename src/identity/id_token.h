// The id_token of OpenID Connect: the identity that signed in, signed by the issuer. Private to identity/.
#pragma once

#include <string>

#include "base/clock.h"
#include "document/bson.h"
#include "identity/oidc_keys.h"

namespace mb::identity {

struct IdToken {
  std::string algorithm;
  std::string keyId;
  std::string signedText;  // header and claims as they were signed
  std::string signature;
  doc::Document claims;

  // Checks the syntax only. Fails with unauthenticated, as checkIdToken does.
  static Result<IdToken> parse(std::string_view text);
};

struct ExpectedToken {
  std::string issuer;
  std::string clientId;
  std::string nonce;
  Timestamp now;
};

// Checks the signature by `key`, issuer, audience, times (a minute of skew), nonce and subject.
Result<> checkIdToken(const IdToken& token, const PublicKey& key, const ExpectedToken& expected);

}  // namespace mb::identity
