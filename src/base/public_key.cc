#include "base/public_key.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "base/evp.h"

namespace mb {

namespace {

using evp::BigNumber;
using evp::bytesOf;
using evp::DigestContext;
using evp::PKey;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, evp::Deleter<EVP_PKEY_CTX_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, evp::Deleter<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, evp::Deleter<OSSL_PARAM_free>>;

constexpr size_t kCoordinate = 32;
constexpr int kMinModulusBits = 2048;
constexpr int kMaxModulusBits = 8192;
constexpr int kMaxExponentBits = 64;

std::unexpected<Error> noKey() {
  ERR_clear_error();
  return fail(ErrorCode::validation, "is not a supported public key");
}

BigNumber number(std::string_view bytes) {
  return BigNumber(BN_bin2bn(bytesOf(bytes), static_cast<int>(bytes.size()), nullptr));
}

PKey keyFrom(const char* type, OSSL_PARAM_BLD* builder) {
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return nullptr;
  }
  PKey owned(key);
  const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  if (!check || EVP_PKEY_public_check(check.get()) != 1) return nullptr;
  return owned;
}

}  // namespace

struct PublicKey::Impl {
  PKey key;
};

PublicKey::PublicKey(Kind kind, std::unique_ptr<Impl> impl) : kind_(kind), impl_(std::move(impl)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;

Result<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  if (modulus.size() > kMaxModulusBits / 8 + 8 || exponent.size() > kMaxExponentBits / 8) return noKey();
  const BigNumber n = number(modulus);
  const BigNumber e = number(exponent);
  const int bits = n ? BN_num_bits(n.get()) : 0;
  if (!e || bits < kMinModulusBits || bits > kMaxModulusBits || BN_is_odd(e.get()) != 1 || BN_is_one(e.get()) == 1) {
    return noKey();
  }
  const Builder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return noKey();
  }
  PKey key = keyFrom("RSA", builder.get());
  if (!key) return noKey();
  return PublicKey(Kind::rsa, std::make_unique<Impl>(std::move(key)));
}

Result<PublicKey> PublicKey::p256(std::string_view x, std::string_view y) {
  if (x.size() != kCoordinate || y.size() != kCoordinate) return noKey();
  const std::string point = "\x04" + std::string(x) + std::string(y);
  const Builder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
    return noKey();
  }
  PKey key = keyFrom("EC", builder.get());
  if (!key) return noKey();
  return PublicKey(Kind::p256, std::make_unique<Impl>(std::move(key)));
}

Result<PublicKey> PublicKey::ed25519(std::string_view point) {
  if (point.size() != kCoordinate) return noKey();
  PKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytesOf(point), point.size()));
  if (!key) return noKey();
  return PublicKey(Kind::ed25519, std::make_unique<Impl>(std::move(key)));
}

std::string_view PublicKey::algorithm() const {
  switch (kind_) {
    case Kind::rsa:
      return "RS256";
    case Kind::p256:
      return "ES256";
    case Kind::ed25519:
      return "EdDSA";
  }
  return "";
}

bool PublicKey::verify(std::string_view data, std::string_view signature) const {
  if (kind_ == Kind::p256) return evp::verifyEs256(impl_->key.get(), data, signature);
  const DigestContext context(EVP_MD_CTX_new());
  const EVP_MD* digest = kind_ == Kind::rsa ? EVP_sha256() : nullptr;  // Ed25519 hashes internally; RSA pads by PKCS #1
  const bool right =
      EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, impl_->key.get()) == 1 &&
      EVP_DigestVerify(context.get(), bytesOf(signature), signature.size(), bytesOf(data), data.size()) == 1;
  ERR_clear_error();
  return right;
}

}  // namespace mb
