#include "realtime/position.h"

#include <cstring>

namespace mb::realtime {

namespace {

constexpr std::string_view kPurpose = "realtime";  // of the subkey
constexpr size_t kTextSize = 22;

// Project, position, and a check value that shows that the text was encrypted here.
struct Plain {
  uint64_t position = 0;
  uint32_t project = 0;
  uint32_t check = kCheck;
  static constexpr uint32_t kCheck = 0x6D62'7274;
};
static_assert(sizeof(Plain) == sizeof(CipherBlock));

}  // namespace

PositionCipher::PositionCipher(const MasterSecret& master) : cipher_(master.subkey(kPurpose)) {}

std::string PositionCipher::write(store::ProjectNo project, uint64_t position) {
  const Plain plain{.position = position, .project = project};
  CipherBlock block;
  std::memcpy(block.data(), &plain, sizeof plain);
  const CipherBlock sealed = cipher_.encrypt(block);
  return toBase64Url({reinterpret_cast<const char*>(sealed.data()), sealed.size()});
}

std::optional<uint64_t> PositionCipher::read(store::ProjectNo project, std::string_view text) {
  if (text.size() != kTextSize) return std::nullopt;
  const auto bytes = fromBase64Url(text);
  CipherBlock sealed;
  if (!bytes || bytes->size() != sealed.size()) return std::nullopt;
  std::memcpy(sealed.data(), bytes->data(), sealed.size());
  const CipherBlock block = cipher_.decrypt(sealed);
  Plain plain;
  std::memcpy(&plain, block.data(), sizeof plain);
  if (plain.check != Plain::kCheck || plain.project != project) return std::nullopt;
  return plain.position;
}

}  // namespace mb::realtime
