#include "base/block_cipher.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mb {
namespace {

CipherBlock blockOf(uint8_t first) {
  CipherBlock block{};
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<uint8_t>(first + i * 17);
  return block;
}

// FIPS 197, appendix C.3.
TEST(BlockCipherTest, TheStandardsOwnExample) {
  std::string key;
  for (int i = 0; i < 32; ++i) key += static_cast<char>(i);
  BlockCipher cipher{Secret(key)};
  const CipherBlock sealed = cipher.encrypt(blockOf(0));
  EXPECT_EQ(toHex(sealed), "8ea2b7ca516745bfeafc49904b496089");
  EXPECT_EQ(cipher.decrypt(sealed), blockOf(0));
}

TEST(BlockCipherTest, ComesBackUnderItsKeyOnly) {
  BlockCipher one{Secret(std::string(32, 'a'))};
  BlockCipher other{Secret(std::string(32, 'b'))};
  for (int i = 0; i < 100; ++i) {
    const CipherBlock plain = blockOf(static_cast<uint8_t>(i));
    const CipherBlock sealed = one.encrypt(plain);
    EXPECT_NE(sealed, plain);
    EXPECT_EQ(one.decrypt(sealed), plain);
    EXPECT_NE(other.decrypt(sealed), plain);
  }
}

TEST(BlockCipherTest, AShortKeyIsABug) {
  EXPECT_THROW(BlockCipher{Secret("short")}, std::runtime_error);
}

}  // namespace
}  // namespace mb
