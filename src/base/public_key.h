// Public keys of other parties, for verifying signatures: RS256, ES256 and EdDSA (RFC 7518, RFC 8037). The algorithm
// comes from the key, never from the signed text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mb {

// Immutable; any thread.
class PublicKey {
 public:
  enum class Kind { rsa, p256, ed25519 };

  // Big-endian numbers; a modulus of 2048 to 8192 bits. Each fails with validation.
  static Result<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  static Result<PublicKey> p256(std::string_view x, std::string_view y);  // 32 bytes each
  static Result<PublicKey> ed25519(std::string_view point);               // 32 bytes

  Kind kind() const { return kind_; }
  // "RS256", "ES256", "EdDSA": the one algorithm of the key.
  std::string_view algorithm() const;
  bool verify(std::string_view data, std::string_view signature) const;

  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();

 private:
  struct Impl;
  PublicKey(Kind kind, std::unique_ptr<Impl> impl);
  Kind kind_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb
