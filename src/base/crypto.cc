#include "base/crypto.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>

#include <algorithm>
#include <stdexcept>

namespace mb {

namespace {

const unsigned char* bytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string encodeBase64(std::string_view data, int variant) {
  std::string out(sodium_base64_encoded_len(data.size(), variant), '\0');
  sodium_bin2base64(out.data(), out.size(), bytesOf(data), data.size(), variant);
  out.pop_back();  // sodium counts the terminator
  return out;
}

Result<std::string> decodeBase64(std::string_view text, int variant) {
  // sodium takes bytes above 127 for the last character of its alphabet.
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (!ascii) return fail(ErrorCode::validation, "is not base64");
  std::string out(text.size() / 4 * 3 + 3, '\0');
  size_t length = 0;
  const char* end = nullptr;
  const int status = sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(),
                                       text.size(), nullptr, &length, &end, variant);
  if (status != 0 || end != text.data() + text.size()) return fail(ErrorCode::validation, "is not base64");
  out.resize(length);
  return out;
}

}  // namespace

void initCrypto() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium could not be initialised");
}

void fillRandom(std::span<uint8_t> out) {
  randombytes_buf(out.data(), out.size());
}

std::string randomToken(size_t bytes) {
  std::string raw(bytes, '\0');
  randombytes_buf(raw.data(), raw.size());
  return toBase64Url(raw);
}

uint64_t randomU64() {
  uint64_t value = 0;
  randombytes_buf(&value, sizeof value);
  return value;
}

Digest sha256(std::string_view data) {
  // Every token and key is looked up by its hash. OpenSSL's one-shot call looks the algorithm up by name each time,
  // which costs twice the hashing of a token.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  Digest out;
  if (EVP_DigestInit_ex2(context.get(), algorithm, nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), data.data(), data.size()) != 1 ||
      EVP_DigestFinal_ex(context.get(), out.data(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  return out;
}

Digest hmacSha256(std::string_view key, std::string_view data) {
  Digest out;
  unsigned int length = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytesOf(data), data.size(), out.data(), &length) ==
      nullptr) {
    throw std::runtime_error("HMAC failed");
  }
  return out;
}

std::string toHex(std::span<const uint8_t> data) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(data.size() * 2);
  for (const uint8_t byte : data) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string toBase64(std::string_view data) {
  return encodeBase64(data, sodium_base64_VARIANT_ORIGINAL);
}
std::string toBase64Url(std::string_view data) {
  return encodeBase64(data, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
Result<std::string> fromBase64(std::string_view text) {
  return decodeBase64(text, sodium_base64_VARIANT_ORIGINAL);
}
Result<std::string> fromBase64Url(std::string_view text) {
  return decodeBase64(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool equalConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

Secret::~Secret() {
  if (!bytes_.empty()) sodium_memzero(bytes_.data(), bytes_.size());
}

Secret MasterSecret::subkey(std::string_view purpose) const {
  char context[crypto_kdf_CONTEXTBYTES] = {};
  std::copy_n(purpose.data(), std::min(purpose.size(), sizeof context), context);
  std::string out(32, '\0');
  crypto_kdf_derive_from_key(reinterpret_cast<unsigned char*>(out.data()), out.size(), 1, context,
                             bytesOf(bytes_.reveal()));
  return Secret(std::move(out));
}

std::string MasterSecret::seal(std::string_view plain, std::string_view context) const {
  std::string out(
      crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + plain.size() + crypto_aead_xchacha20poly1305_ietf_ABYTES, '\0');
  auto* nonce = reinterpret_cast<unsigned char*>(out.data());
  randombytes_buf(nonce, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, nullptr,
                                             bytesOf(plain), plain.size(), bytesOf(context), context.size(), nullptr,
                                             nonce, bytesOf(sealKey_.reveal()));
  return out;
}

Result<Secret> MasterSecret::unseal(std::string_view sealed, std::string_view context) const {
  constexpr size_t kNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
  constexpr size_t kTag = crypto_aead_xchacha20poly1305_ietf_ABYTES;
  if (sealed.size() < kNonce + kTag) return fail(ErrorCode::internal, "a sealed secret is truncated");
  std::string out(sealed.size() - kNonce - kTag, '\0');
  const int status = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(out.data()), nullptr, nullptr, bytesOf(sealed.substr(kNonce)),
      sealed.size() - kNonce, bytesOf(context), context.size(), bytesOf(sealed), bytesOf(sealKey_.reveal()));
  if (status != 0) return fail(ErrorCode::internal, "a sealed secret does not open with this deployment's secret");
  return Secret(std::move(out));
}

}  // namespace mb
