#include "base/sha1.h"

#include <stdexcept>

#include "base/evp.h"

namespace mb {

std::array<uint8_t, 20> sha1(std::string_view data) {
  std::array<uint8_t, 20> digest{};
  if (EVP_Digest(data.data(), data.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    throw std::runtime_error("SHA-1 is not available");
  }
  return digest;
}

}  // namespace mb
