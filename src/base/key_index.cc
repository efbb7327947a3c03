#include "base/key_index.h"

#include <array>
#include <cstring>
#include <random>

namespace mb {

namespace {

using Seed = std::array<uint64_t, 3>;

Seed makeSeed() {
  std::random_device random;
  Seed seed;
  for (uint64_t& part : seed) part = (uint64_t{random()} << 32 | random()) | 1;
  return seed;
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t read(const char* at, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

}  // namespace

// As in wyhash, both factors of each product hold a secret.
uint64_t seededHash(std::string_view text) {
  static const Seed kSeed = makeSeed();
  uint64_t hash = kSeed[0] ^ text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left > 16; at += 16, left -= 16) hash = mix(read(at, 8) ^ kSeed[1], read(at + 8, 8) ^ hash);
  const uint64_t first = read(at, left < 8 ? left : 8);
  const uint64_t rest = left > 8 ? read(at + 8, left - 8) : 0;
  return mix(mix(first ^ kSeed[1], rest ^ hash), kSeed[2] ^ text.size());
}

}  // namespace mb
