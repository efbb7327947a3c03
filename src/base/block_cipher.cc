#include "base/block_cipher.h"

#include <stdexcept>

#include "base/evp.h"

namespace mb {

namespace {

using Context = std::unique_ptr<EVP_CIPHER_CTX, evp::Deleter<EVP_CIPHER_CTX_free>>;

Context contextFor(const Secret& key, bool encrypts) {
  Context context(EVP_CIPHER_CTX_new());
  const bool ready = context && key.reveal().size() == 32 &&
                     EVP_CipherInit_ex(context.get(), EVP_aes_256_ecb(), nullptr, evp::bytesOf(key.reveal()), nullptr,
                                       encrypts ? 1 : 0) == 1 &&
                     EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1;
  if (!ready) throw std::runtime_error("AES-256 cannot be set up");
  return context;
}

CipherBlock through(EVP_CIPHER_CTX* context, const CipherBlock& in) {
  CipherBlock out;
  int size = 0;
  if (EVP_CipherUpdate(context, out.data(), &size, in.data(), static_cast<int>(in.size())) != 1 ||
      size != static_cast<int>(out.size())) {
    throw std::runtime_error("AES-256 failed");
  }
  return out;
}

}  // namespace

struct BlockCipher::Impl {
  Context encrypting;
  Context decrypting;
};

BlockCipher::BlockCipher(const Secret& key)
    : impl_(std::make_unique<Impl>(Impl{contextFor(key, true), contextFor(key, false)})) {}
BlockCipher::~BlockCipher() = default;
BlockCipher::BlockCipher(BlockCipher&&) noexcept = default;

CipherBlock BlockCipher::encrypt(const CipherBlock& plain) {
  return through(impl_->encrypting.get(), plain);
}

CipherBlock BlockCipher::decrypt(const CipherBlock& sealed) {
  return through(impl_->decrypting.get(), sealed);
}

}  // namespace mb
