// ES256 over OpenSSL's EVP; signatures on the wire are r||s (RFC 7518, 3.4), in OpenSSL they are DER.
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "base/crypto.h"
#include "base/es256.h"
#include "base/evp.h"

namespace mb {

namespace {

using evp::BigNumber;
using evp::Bio;
using evp::bytesOf;
using evp::DigestContext;
using evp::PKey;
using evp::Signature;

constexpr size_t kScalarBytes = 32;

// The order of P-256's group (SEC 2, 2.4.2), and half of it.
constexpr std::array<unsigned char, kScalarBytes> kOrder = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};
constexpr std::array<unsigned char, kScalarBytes> kHalfOrder = {
    0x7f, 0xff, 0xff, 0xff, 0x80, 0x00, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xde, 0x73, 0x7d, 0x56, 0xd3, 0x8b, 0xcf, 0x42, 0x79, 0xdc, 0xe5, 0x61, 0x7e, 0x31, 0x92, 0xa8,
};

unsigned char* bytesOf(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

std::string coordinate(const EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  EVP_PKEY_get_bn_param(key, name, &raw);
  const BigNumber number(raw);
  std::string out(kScalarBytes, '\0');
  BN_bn2binpad(number.get(), bytesOf(out), kScalarBytes);
  return out;
}

// Without a callback OpenSSL would prompt on the terminal for the passphrase of an encrypted key.
int noPassphrase(char*, int, int, void*) {
  return -1;
}

}  // namespace

struct SigningKey::Impl {
  PKey key;
};

SigningKey::SigningKey(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

SigningKey SigningKey::generate() {
  PKey key(EVP_EC_gen("P-256"));
  if (!key) throw std::runtime_error("no P-256 key could be made");
  return SigningKey(std::make_unique<Impl>(std::move(key)));
}

Result<SigningKey> SigningKey::fromPem(std::string_view privatePem) {
  const Bio bio(BIO_new_mem_buf(privatePem.data(), static_cast<int>(privatePem.size())));
  PKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, noPassphrase, nullptr));
  ERR_clear_error();
  char group[32] = {};
  size_t length = 0;
  const bool p256 = key && EVP_PKEY_is_a(key.get(), "EC") == 1 &&
                    EVP_PKEY_get_group_name(key.get(), group, sizeof group, &length) == 1 &&
                    std::string_view(group, length) == "prime256v1";
  if (!p256) return fail(ErrorCode::internal, "a signing key is not a P-256 private key");
  return SigningKey(std::make_unique<Impl>(std::move(key)));
}

std::string SigningKey::toPem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), impl_->key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(length)};
}

std::string SigningKey::sign(std::string_view data) const {
  const DigestContext context(EVP_MD_CTX_new());
  std::string der(80, '\0');
  size_t length = der.size();
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, impl_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), bytesOf(der), &length, bytesOf(data), data.size()) != 1) {
    throw std::runtime_error("signing failed");
  }
  const unsigned char* at = bytesOf(std::string_view(der));
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(length)));
  std::string out(2 * kScalarBytes, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), bytesOf(out), kScalarBytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), bytesOf(out) + kScalarBytes, kScalarBytes);
  if (!isLowS(out)) {
    const BigNumber order(BN_bin2bn(kOrder.data(), kScalarBytes, nullptr));
    BN_sub(order.get(), order.get(), ECDSA_SIG_get0_s(signature.get()));
    BN_bn2binpad(order.get(), bytesOf(out) + kScalarBytes, kScalarBytes);
  }
  return out;
}

bool isLowS(std::string_view signature) {
  if (signature.size() != 2 * kScalarBytes) return false;
  return std::memcmp(signature.data() + kScalarBytes, kHalfOrder.data(), kScalarBytes) <= 0;
}

bool SigningKey::verify(std::string_view data, std::string_view signature) const {
  return evp::verifyEs256(impl_->key.get(), data, signature);
}

bool evp::verifyEs256(EVP_PKEY* key, std::string_view data, std::string_view signature) {
  if (signature.size() != 2 * kScalarBytes) return false;
  const Signature parts(ECDSA_SIG_new());
  ECDSA_SIG_set0(parts.get(), BN_bin2bn(bytesOf(signature), kScalarBytes, nullptr),
                 BN_bin2bn(bytesOf(signature) + kScalarBytes, kScalarBytes, nullptr));
  unsigned char der[80];
  unsigned char* end = der;
  const int length = i2d_ECDSA_SIG(parts.get(), &end);
  if (length <= 0) return false;
  const DigestContext context(EVP_MD_CTX_new());
  const bool right = EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
                     EVP_DigestVerify(context.get(), der, static_cast<size_t>(length), bytesOf(data), data.size()) == 1;
  ERR_clear_error();
  return right;
}

std::pair<std::string, std::string> SigningKey::publicPoint() const {
  return {coordinate(impl_->key.get(), OSSL_PKEY_PARAM_EC_PUB_X),
          coordinate(impl_->key.get(), OSSL_PKEY_PARAM_EC_PUB_Y)};
}

std::string SigningKey::keyId() const {
  const auto [x, y] = publicPoint();
  // RFC 7638: the required members in lexicographic order, no white space.
  const std::string members =
      R"({"crv":"P-256","kty":"EC","x":")" + toBase64Url(x) + R"(","y":")" + toBase64Url(y) + R"("})";
  const Digest digest = sha256(members);
  return toBase64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace mb
