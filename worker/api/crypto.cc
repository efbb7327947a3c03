// Random bytes, digests and HMAC. Source: the Web Cryptography API; the classes are boot/crypto.js.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "api/native.h"
#include "engine.h"
#include "wire.h"

namespace mb::worker {

namespace {

constexpr std::array<const char*, 4> kDigests{"SHA-1", "SHA-256", "SHA-384", "SHA-512"};

// Fetched once and kept as long as the process lives.
const std::array<EVP_MD*, kDigests.size()>& digests() {
  static const std::array<EVP_MD*, kDigests.size()> fetched = [] {
    std::array<EVP_MD*, kDigests.size()> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = EVP_MD_fetch(nullptr, kDigests[i], nullptr);
    return all;
  }();
  return fetched;
}

const EVP_MD* digestNamed(v8::Isolate* isolate, v8::Local<v8::Value> name) {
  const v8::String::Utf8Value wanted(isolate, name);
  for (size_t i = 0; i < kDigests.size(); ++i) {
    if (*wanted != nullptr && std::string_view(*wanted, static_cast<size_t>(wanted.length())) == kDigests[i])
      return digests()[i];
  }
  return nullptr;
}

// Fills a view's bytes.
void fillRandom(const Arguments& arguments) {
  const auto bytes = bytesOf(arguments[0]);
  if (!bytes) return;
  char* at = const_cast<char*>(bytes->data());
  for (size_t left = bytes->size(); left > 0;) {
    const size_t some = std::min<size_t>(left, 256);  // the most that getentropy returns at a time
    if (getentropy(at, some) != 0) endProcess(kEndedUnconfined, "the kernel gives no random bytes");
    at += some;
    left -= some;
  }
}

void returnBytes(const Arguments& arguments, std::string_view bytes) {
  v8::Local<v8::ArrayBuffer> buffer;
  if (bufferOf(arguments.GetIsolate(), bytes).ToLocal(&buffer)) arguments.GetReturnValue().Set(buffer);
}

// (name, bytes) to an ArrayBuffer; undefined for an unknown digest.
void digest(const Arguments& arguments) {
  const EVP_MD* kind = digestNamed(arguments.GetIsolate(), arguments[0]);
  const auto bytes = bytesOf(arguments[1]);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  if (kind == nullptr || !bytes || EVP_Digest(bytes->data(), bytes->size(), out.data(), &size, kind, nullptr) != 1)
    return;
  returnBytes(arguments, {reinterpret_cast<const char*>(out.data()), size});
}

// (name of the digest, key, bytes) to an ArrayBuffer.
void hmac(const Arguments& arguments) {
  const EVP_MD* kind = digestNamed(arguments.GetIsolate(), arguments[0]);
  const auto key = bytesOf(arguments[1]);
  const auto bytes = bytesOf(arguments[2]);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  if (kind == nullptr || !key || !bytes) return;
  // An empty key is valid, and must not be passed as null.
  const void* keyBytes = key->empty() ? "" : key->data();
  if (HMAC(kind, keyBytes, static_cast<int>(key->size()), reinterpret_cast<const unsigned char*>(bytes->data()),
           bytes->size(), out.data(), &size) == nullptr) {
    return;
  }
  returnBytes(arguments, {reinterpret_cast<const char*>(out.data()), size});
}

// Whether two byte arrays are equal, in a time independent of where they differ.
void sameBytes(const Arguments& arguments) {
  const auto one = bytesOf(arguments[0]);
  const auto other = bytesOf(arguments[1]);
  const bool same =
      one && other && one->size() == other->size() && CRYPTO_memcmp(one->data(), other->data(), one->size()) == 0;
  arguments.GetReturnValue().Set(same);
}

// A copy of a BufferSource; undefined for any other value.
void copyBytes(const Arguments& arguments) {
  if (const auto bytes = bytesOf(arguments[0])) returnBytes(arguments, std::string(*bytes));
}

}  // namespace

void warmCrypto() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
  for (const EVP_MD* kind : digests()) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> out;
    unsigned size = 0;
    if (kind == nullptr || EVP_Digest("", 0, out.data(), &size, kind, nullptr) != 1 ||
        HMAC(kind, "", 0, out.data(), 0, out.data(), &size) == nullptr) {
      endProcess(kEndedUnconfined, "the crypto library lacks a digest");
    }
  }
}

void addCrypto(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native) {
  addFunction(isolate, native, "fillRandom", fillRandom);
  addFunction(isolate, native, "digest", digest);
  addFunction(isolate, native, "hmac", hmac);
  addFunction(isolate, native, "sameBytes", sameBytes);
  addFunction(isolate, native, "copyBytes", copyBytes);
}

}  // namespace mb::worker
