#include "base/sha256.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace mb {

struct Sha256::Impl {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  if (!impl_->context || EVP_DigestInit_ex(impl_->context.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available");
  }
}

Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::string_view data) {
  EVP_DigestUpdate(impl_->context.get(), data.data(), data.size());
}

std::string Sha256::finish() {
  Digest digest{};
  EVP_DigestFinal_ex(impl_->context.get(), digest.data(), nullptr);
  return toHex(digest);
}

}  // namespace mb
