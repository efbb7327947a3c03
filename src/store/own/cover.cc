#include "store/own/cover.h"

#include <algorithm>
#include <cstring>

#include "base/crypto.h"

namespace mb::store::own {

namespace {

constexpr size_t kObjectIdBytes = 12;

}  // namespace

Cover::Cover(std::string_view key) : cipher_(Secret(std::string(key))) {}

std::string Cover::of(std::string_view objectId) {
  CipherBlock block{};
  std::memcpy(block.data(), objectId.data(), kObjectIdBytes);
  return textOf(block);
}

std::string Cover::ofOther(std::string_view key) {
  CipherBlock block{};
  std::memcpy(block.data(), sha256(key).data(), block.size());
  block.back() |= 1;  // that of a cover is 0
  return textOf(block);
}

std::string Cover::textOf(const CipherBlock& block) {
  const CipherBlock sealed = cipher_.encrypt(block);
  return toBase64Url({reinterpret_cast<const char*>(sealed.data()), sealed.size()});
}

std::optional<std::string> Cover::objectIdOf(std::string_view cover) {
  if (cover.size() != kTextSize) return std::nullopt;
  const auto bytes = fromBase64Url(cover);
  CipherBlock sealed;
  if (!bytes || bytes->size() != sealed.size()) return std::nullopt;
  std::memcpy(sealed.data(), bytes->data(), sealed.size());
  const CipherBlock block = cipher_.decrypt(sealed);
  if (std::any_of(block.begin() + kObjectIdBytes, block.end(), [](uint8_t each) { return each != 0; })) {
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(block.data()), kObjectIdBytes);
}

}  // namespace mb::store::own
