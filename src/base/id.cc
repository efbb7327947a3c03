#include "base/id.h"

#include <array>

#include "base/crypto.h"

namespace mb {

namespace {

constexpr char kAlphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr size_t kTimeChars = 9;
constexpr size_t kRandomChars = 11;
constexpr uint64_t kPerMs = 1024;

// Random characters without bias: bytes from 248 (4 * 62) up are discarded. The buffer is per thread, because a call to
// the generator for each id would cost more than the rest of the id.
void appendRandomChars(std::string& out, size_t count) {
  thread_local std::array<uint8_t, 512> buffer;
  thread_local size_t used = buffer.size();
  while (count > 0) {
    if (used == buffer.size()) {
      fillRandom(buffer);
      used = 0;
    }
    const uint8_t byte = buffer[used++];
    if (byte >= 248) continue;
    out += kAlphabet[byte % 62];
    --count;
  }
}

}  // namespace

void IdGenerator::startAbove(int64_t floorMs) {
  const std::scoped_lock lock(mutex_);
  last_ = std::max(last_, static_cast<uint64_t>(floorMs) * kPerMs + kPerMs - 1);
}

int64_t IdGenerator::highestMs() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<int64_t>(last_ / kPerMs);
}

std::string IdGenerator::next() {
  uint64_t stamp = static_cast<uint64_t>(clock_.now().ms) * kPerMs;
  {
    const std::scoped_lock lock(mutex_);
    stamp = std::max(stamp, last_ + 1);
    last_ = stamp;
  }
  std::string out(kTimeChars, '0');
  out.reserve(kTimeChars + kRandomChars);
  for (size_t i = kTimeChars; i > 0; --i) {
    out[i - 1] = kAlphabet[stamp % 62];
    stamp /= 62;
  }
  appendRandomChars(out, kRandomChars);
  return out;
}

}  // namespace mb
