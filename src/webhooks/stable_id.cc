#include "webhooks/stable_id.h"

#include "base/crypto.h"

namespace mb::webhooks {

namespace {

constexpr char kAlphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr size_t kTimeChars = 9;
constexpr size_t kSeedChars = 11;
constexpr uint64_t kPerMs = 1024;

void appendDigits(std::string& out, uint64_t number, size_t digits) {
  const size_t begin = out.size();
  out.append(digits, '0');
  for (size_t i = digits; i > 0; --i, number /= 62) out[begin + i - 1] = kAlphabet[number % 62];
}

}  // namespace

std::string stableId(std::string_view prefix, Timestamp at, uint64_t position, std::string_view seed) {
  std::string out(prefix);
  appendDigits(out, static_cast<uint64_t>(std::max<int64_t>(at.ms, 0)) * kPerMs + position % kPerMs, kTimeChars);
  const Digest digest = sha256(fmt::format("{}{}/{}", prefix, seed, position));
  uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof number);
  appendDigits(out, number, kSeedChars);
  return out;
}

}  // namespace mb::webhooks
