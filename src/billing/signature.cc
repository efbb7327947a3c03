#include <charconv>
#include <optional>
#include <vector>

#include "billing/events.h"

namespace mb::billing {

namespace {

// A header is longer only where it does not come from the provider, which sends one v1 for each secret in use.
constexpr size_t kMaxHeaderBytes = 4096;
constexpr size_t kMaxTimeDigits = 12;
constexpr int64_t kToleranceMs = kSignatureToleranceSeconds * 1000;

struct SignatureHeader {
  std::string_view time;  // as sent: it is part of what is signed
  int64_t seconds = 0;
  std::vector<std::string_view> signatures;  // v1
};

// nullopt where it is malformed: an element without "=", no time or several, no v1.
std::optional<SignatureHeader> parse(std::string_view header) {
  if (header.size() > kMaxHeaderBytes) return std::nullopt;
  SignatureHeader out;
  while (true) {
    const size_t end = header.find(',');
    const std::string_view element = header.substr(0, end);
    const size_t equals = element.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = element.substr(0, equals);
    const std::string_view value = element.substr(equals + 1);
    if (name == "v1") out.signatures.push_back(value);
    if (name == "t") {
      if (!out.time.empty() || value.empty() || value.size() > kMaxTimeDigits) return std::nullopt;
      const auto [last, error] = std::from_chars(value.data(), value.data() + value.size(), out.seconds);
      if (error != std::errc() || last != value.data() + value.size() || out.seconds < 0) return std::nullopt;
      out.time = value;
    }
    if (end == std::string_view::npos) break;
    header.remove_prefix(end + 1);
  }
  if (out.time.empty() || out.signatures.empty()) return std::nullopt;
  return out;
}

}  // namespace

bool isSignedBy(std::string_view header, std::string_view body, const Secret& secret, Timestamp now) {
  const auto parsed = parse(header);
  if (!parsed || secret.empty()) return false;
  const int64_t age = now.ms - parsed->seconds * 1000;
  if (age > kToleranceMs || age < -kToleranceMs) return false;
  std::string text;
  text.reserve(parsed->time.size() + 1 + body.size());
  text.append(parsed->time).append(1, '.').append(body);
  const std::string expected = toHex(hmacSha256(secret.reveal(), text));
  bool found = false;
  // Each is compared, so that the time does not depend on which one matches.
  for (const std::string_view signature : parsed->signatures) found |= equalConstantTime(signature, expected);
  return found;
}

}  // namespace mb::billing
