#include "store/embedded/stored_document.h"

#include <array>
#include <cstring>

#include "base/crypto.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {
// Random numbers that a thread draws at once: a call to the system for each would cost more than the rest of a write.
constexpr size_t kDrawn = 64;
constexpr size_t kLengthBytes = 4;
}  // namespace

StoredDocument splitStored(std::string_view value) {
  int32_t length = 0;
  if (value.size() < kLengthBytes + kVersionBytes) return {value};
  std::memcpy(&length, value.data(), kLengthBytes);  // little-endian, as this machine is
  const size_t size = value.size() - kVersionBytes;
  if (length < 0 || static_cast<size_t>(length) != size) return {value};
  return {value.substr(0, size), readU64(value.data() + size)};
}

DocumentVersion nextVersion() {
  thread_local std::array<uint64_t, kDrawn> drawn;
  thread_local size_t left = 0;
  while (true) {
    if (left == 0) {
      fillRandom({reinterpret_cast<uint8_t*>(drawn.data()), sizeof drawn});
      left = kDrawn;
    }
    const DocumentVersion version = drawn[--left];
    if (version != 0) return version;
  }
}

}  // namespace mb::store::embedded
