// Integers as big-endian bytes, whose order is that of the numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace mb::store {

template <class T>
void appendBigEndian(std::string& out, T value) {
  const T swapped = std::byteswap(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

template <class T>
T readBigEndian(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return std::byteswap(value);
}

inline void appendU16(std::string& out, uint16_t value) {
  appendBigEndian(out, value);
}
inline void appendU32(std::string& out, uint32_t value) {
  appendBigEndian(out, value);
}
inline void appendU64(std::string& out, uint64_t value) {
  appendBigEndian(out, value);
}
inline uint16_t readU16(const char* at) {
  return readBigEndian<uint16_t>(at);
}
inline uint32_t readU32(const char* at) {
  return readBigEndian<uint32_t>(at);
}
inline uint64_t readU64(const char* at) {
  return readBigEndian<uint64_t>(at);
}

}  // namespace mb::store
