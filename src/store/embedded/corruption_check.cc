#include "store/embedded/corruption_check.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <vector>

namespace mb::store::embedded {

namespace {

namespace fs = std::filesystem;

// The format of RocksDB's logs: blocks of 32 KiB that contain fragments of records: crc(u32) size(u16) type(u8) bytes,
// the numbers little-endian. The crc is a masked CRC-32C of type and bytes.
constexpr size_t kBlock = 32 << 10;
constexpr size_t kHeader = 7;
enum Fragment : uint8_t { whole = 1, first = 2, middle = 3, last = 4 };

// CRC-32C tables, for eight bytes per step.
constexpr auto kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t) {
    for (size_t i = 0; i < 256; ++i) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xFF];
  }
  return tables;
}();

uint32_t u32At(const uint8_t* at) {
  return uint32_t{at[0]} | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24;
}

uint32_t maskedCrc(const uint8_t* at, size_t size) {
  uint32_t crc = UINT32_MAX;
  for (; size >= 8; size -= 8, at += 8) {
    const uint32_t low = crc ^ u32At(at);
    const uint32_t high = u32At(at + 4);
    crc = kCrcTables[7][low & 0xFF] ^ kCrcTables[6][low >> 8 & 0xFF] ^ kCrcTables[5][low >> 16 & 0xFF] ^
          kCrcTables[4][low >> 24] ^ kCrcTables[3][high & 0xFF] ^ kCrcTables[2][high >> 8 & 0xFF] ^
          kCrcTables[1][high >> 16 & 0xFF] ^ kCrcTables[0][high >> 24];
  }
  for (; size > 0; --size, ++at) crc = crc >> 8 ^ kCrcTables[0][(crc ^ *at) & 0xFF];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

class LogScan {
 public:
  // Returns true once an intact record begins after a broken fragment.
  bool block(const uint8_t* bytes, size_t size) {
    for (size_t at = 0; at + kHeader <= size;) {
      const uint8_t* fragment = bytes + at;
      const size_t length = fragment[4] | fragment[5] << 8;
      const uint8_t type = fragment[6];
      const size_t end = at + kHeader + length;
      const bool known = type >= whole && type <= last && end <= size;
      if (!known) {
        broken_ = true;
        return false;
      }
      if (u32At(fragment) != maskedCrc(fragment + 6, length + 1)) {
        broken_ = true;
      } else if (broken_ && (type == whole || type == first)) {
        return true;
      }
      at = end;
    }
    return false;
  }

 private:
  bool broken_ = false;
};

bool isCorruptInside(const fs::path& log) {
  std::ifstream in(log, std::ios::binary);
  std::vector<uint8_t> bytes(kBlock);
  LogScan scan;
  while (in) {
    in.read(reinterpret_cast<char*>(bytes.data()), kBlock);
    if (scan.block(bytes.data(), static_cast<size_t>(in.gcount()))) return true;
  }
  return false;
}

}  // namespace

Result<> refuseCorruptFiles(const fs::path& directory) {
  std::error_code error;
  bool used = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string kind = entry.path().extension();
    used = used || kind == ".log" || kind == ".sst";
    if (kind != ".log" || !isCorruptInside(entry.path())) continue;
    return fail(ErrorCode::internal,
                fmt::format("the database is corrupt: {} holds a broken record before its end", entry.path().string()));
  }
  if (!used || fs::exists(directory / "CURRENT", error)) return {};
  return fail(ErrorCode::internal,
              fmt::format("the database is corrupt: {} is missing", (directory / "CURRENT").string()));
}

}  // namespace mb::store::embedded
