#include "storage/blob_store.h"

#include <fmt/format.h>

#include <charconv>

#include "base/crypto.h"

namespace mb::storage {

namespace {
constexpr size_t kRandomBytes = 16;
constexpr size_t kDigits = 2 * kRandomBytes;
}  // namespace

BlobName newBlobName(store::ProjectNo project) {
  std::array<uint8_t, kRandomBytes> random{};
  fillRandom(random);
  return fmt::format("{}-{}", project, toHex(random));
}

std::optional<store::ProjectNo> projectOf(std::string_view blob) {
  const size_t dash = blob.find('-');
  if (dash == std::string_view::npos || dash == 0 || blob.size() != dash + 1 + kDigits) return std::nullopt;
  if (blob.substr(dash + 1).find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  store::ProjectNo number = 0;
  const auto [end, failed] = std::from_chars(blob.data(), blob.data() + dash, number);
  if (failed != std::errc() || end != blob.data() + dash || blob.front() == '0') return std::nullopt;
  return number;
}

}  // namespace mb::storage
