#include "identity/email.h"

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxAddress = 254;  // RFC 5321, 4.5.3.1.3 less the angle brackets
constexpr size_t kMaxLocalPart = 64;
constexpr size_t kMaxLabel = 63;

// Letters, digits, hyphens inside, and bytes above ASCII (international domains).
bool isLabel(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabel || label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

bool isDomain(std::string_view domain) {
  while (true) {
    const size_t dot = domain.find('.');
    if (!isLabel(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

bool isLocalPart(std::string_view local) {
  if (local.empty() || local.size() > kMaxLocalPart || local.front() == '.' || local.back() == '.') return false;
  if (local.find("..") != std::string_view::npos) return false;
  return std::none_of(local.begin(), local.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || std::string_view("@,;:<>()[]\\\"").contains(c);
  });
}

}  // namespace

Result<Email> parseEmail(std::string_view text) {
  const std::string_view address = trimmed(text);
  const size_t at = address.find('@');
  const bool shaped = at != std::string_view::npos && address.size() <= kMaxAddress &&
                      isLocalPart(address.substr(0, at)) && isDomain(address.substr(at + 1));
  if (!shaped) return fail(invalid("/email", "must be an email address"));
  return Email{std::string(address), lowerAscii(address)};
}

std::string emailKey(std::string_view text) {
  return lowerAscii(trimmed(text));
}

}  // namespace mb::identity
