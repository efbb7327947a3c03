// One block under one key, both ways: for small numbers that travel in the hands of others and must tell nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/crypto.h"

namespace mb {

using CipherBlock = std::array<uint8_t, 16>;

// AES-256 on a single block. The same block always gives the same text, so blocks must differ by what they hold. Not
// thread-safe: one a core.
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
