#include "identity/oidc_keys.h"

#include "base/crypto.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxJwks = 64;

Result<PublicKey> keyOf(doc::DocumentView jwk) {
  const std::string_view type = jwk.stringOr("kty");
  if (type == "RSA") {
    TRY(const std::string modulus, fromBase64Url(jwk.stringOr("n")));
    TRY(const std::string exponent, fromBase64Url(jwk.stringOr("e")));
    return PublicKey::rsa(modulus, exponent);
  }
  TRY(const std::string x, fromBase64Url(jwk.stringOr("x")));
  if (type == "EC" && jwk.stringOr("crv") == "P-256") {
    TRY(const std::string y, fromBase64Url(jwk.stringOr("y")));
    return PublicKey::p256(x, y);
  }
  if (type == "OKP" && jwk.stringOr("crv") == "Ed25519") return PublicKey::ed25519(x);
  return fail(ErrorCode::validation, "is not a supported public key: use RSA, EC P-256 or OKP Ed25519");
}

}  // namespace

KeySet KeySet::parse(doc::DocumentView jwks) {
  KeySet out;
  const auto keys = jwks.find("keys");
  if (!keys || keys->type() != doc::BsonType::array) return out;
  size_t seen = 0;
  for (const doc::Element& element : keys->asDocument()) {
    if (++seen > kMaxJwks) break;
    if (element.value.type() != doc::BsonType::document) continue;
    const doc::DocumentView jwk = element.value.asDocument();
    if (jwk.stringOr("use", "sig") != "sig") continue;
    auto key = keyOf(jwk);
    if (!key || jwk.stringOr("alg", key->algorithm()) != key->algorithm()) continue;
    out.keys_.push_back({std::string(jwk.stringOr("kid")), *std::move(key)});
  }
  return out;
}

const PublicKey* KeySet::find(std::string_view id, std::string_view algorithm) const {
  const PublicKey* found = nullptr;
  for (const Key& key : keys_) {
    if (key.key.algorithm() != algorithm) continue;
    if (!id.empty() && key.id == id) return &key.key;
    if (!id.empty()) continue;
    if (found != nullptr) return nullptr;
    found = &key.key;
  }
  return found;
}

}  // namespace mb::identity
