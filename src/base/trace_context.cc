#include "base/trace_context.h"

#include <algorithm>

#include "base/text.h"

namespace mb {

namespace {

bool isLowerHex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return hexDigit(c) >= 0 && lowerAscii(c) == c; });
}

bool isZero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

// version "-" trace-id "-" parent-id "-" trace-flags, of 2, 32, 16 and 2 hexadecimal digits. A later version may append
// more after another "-".
std::string traceContext(std::string_view header) {
  if (header.size() < kTraceparentBytes) return {};
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace = header.substr(3, 32);
  const std::string_view parent = header.substr(36, 16);
  const std::string_view flags = header.substr(53, 2);
  if (header[2] != '-' || header[35] != '-' || header[52] != '-') return {};
  if (!isLowerHex(version) || !isLowerHex(trace) || !isLowerHex(parent) || !isLowerHex(flags)) return {};
  if (version == "ff" || isZero(trace) || isZero(parent)) return {};
  if (version == "00") return header.size() == kTraceparentBytes ? std::string(header) : std::string();
  if (header.size() > kTraceparentBytes && header[kTraceparentBytes] != '-') return {};
  const bool sampled = (hexDigit(flags[1]) & 1) != 0;
  std::string known = "00";
  known += header.substr(2, 51);
  known += sampled ? "01" : "00";
  return known;
}

}  // namespace mb
