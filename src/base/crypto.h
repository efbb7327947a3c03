// Cryptography over libsodium and OpenSSL. Secrets are never printed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mb {

// Must run once before anything else in this header is used (sodium_init).
void initCrypto();

void fillRandom(std::span<uint8_t> out);
// `bytes` random bytes as base64url without padding.
std::string randomToken(size_t bytes);
uint64_t randomU64();

using Digest = std::array<uint8_t, 32>;
Digest sha256(std::string_view data);
Digest hmacSha256(std::string_view key, std::string_view data);
std::string toHex(std::span<const uint8_t> data);
std::string toBase64(std::string_view data);               // with padding
std::string toBase64Url(std::string_view data);            // without padding
Result<std::string> fromBase64(std::string_view text);     // standard alphabet, padding required; fails with validation
Result<std::string> fromBase64Url(std::string_view text);  // no padding
bool equalConstantTime(std::string_view a, std::string_view b);  // time depends on the lengths only

// Bytes that are never printed and are wiped in the destructor.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}
  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret&&) noexcept = default;
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  ~Secret();
  std::string_view reveal() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string bytes_;
};

// The deployment's master secret (32 bytes) and what is derived from it (libsodium's kdf over BLAKE2b).
class MasterSecret {
 public:
  explicit MasterSecret(Secret bytes) : bytes_(std::move(bytes)), sealKey_(subkey("seal")) {}
  // A 32-byte subkey for one use; `purpose` is at most 8 characters and unique in the code base.
  Secret subkey(std::string_view purpose) const;
  // XChaCha20-Poly1305 with a random nonce; `context` (the owner's id) is bound as associated data. unseal fails with
  // internal when the text was not sealed under this secret and context.
  std::string seal(std::string_view plain, std::string_view context) const;
  Result<Secret> unseal(std::string_view sealed, std::string_view context) const;

 private:
  Secret bytes_;
  Secret sealKey_;
};

// An ECDSA P-256 key for ES256 (RFC 7518, 3.4). Thread-safe.
class SigningKey {
 public:
  static SigningKey generate();
  static Result<SigningKey> fromPem(std::string_view privatePem);
  std::string toPem() const;
  // 64 bytes r||s over sha256(data).
  std::string sign(std::string_view data) const;
  bool verify(std::string_view data, std::string_view signature) const;
  // The public point, 32 bytes each.
  std::pair<std::string, std::string> publicPoint() const;
  // RFC 7638 thumbprint, base64url: the key's id.
  std::string keyId() const;

  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();

 private:
  struct Impl;
  explicit SigningKey(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb
