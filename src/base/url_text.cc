#include "base/url_text.h"

namespace mb {

std::string percentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").contains(c);
    if (plain) {
      out += c;
    } else {
      out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  return out;
}

void addQuery(std::string& url, std::string_view name, std::string_view value) {
  url += url.contains('?') ? '&' : '?';
  url.append(percentEncoded(name)).append(1, '=').append(percentEncoded(value));
}

void addField(std::string& form, std::string_view name, std::string_view value) {
  if (!form.empty()) form += '&';
  form.append(percentEncoded(name)).append(1, '=').append(percentEncoded(value));
}

}  // namespace mb
