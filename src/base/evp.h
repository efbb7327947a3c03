// OpenSSL's keys and signatures, owned. Private to base/.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <memory>
#include <string_view>

namespace mb::evp {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using PKey = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;

inline const unsigned char* bytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// ES256 with a P-256 key: `signature` is r||s (RFC 7518, 3.4).
bool verifyEs256(EVP_PKEY* key, std::string_view data, std::string_view signature);

}  // namespace mb::evp
