// Encrypts and decrypts one block under one key, for small numbers that clients hold and must not be able to read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/crypto.h"

namespace mb {

using CipherBlock = std::array<uint8_t, 16>;

// AES-256 on a single block. Equal blocks give equal texts, so the caller makes blocks differ. Not thread-safe: one per
// core.
class BlockCipher {
 public:
  explicit BlockCipher(const Secret& key);  // 32 bytes
  ~BlockCipher();
  BlockCipher(BlockCipher&&) noexcept;

  CipherBlock encrypt(const CipherBlock& plain);
  CipherBlock decrypt(const CipherBlock& sealed);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb
