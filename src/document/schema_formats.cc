#include "document/schema_formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <string>

#include "base/clock.h"

namespace mb::doc {

namespace {

struct NamedFormat {
  std::string_view name;
  Format format;
};

constexpr std::array kFormats{
    NamedFormat{"date-time", Format::dateTime}, NamedFormat{"date", Format::date}, NamedFormat{"time", Format::time},
    NamedFormat{"email", Format::email},        NamedFormat{"uri", Format::uri},   NamedFormat{"uuid", Format::uuid},
    NamedFormat{"ipv4", Format::ipv4},          NamedFormat{"ipv6", Format::ipv6},
};

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool isDomain(std::string_view domain) {
  while (true) {
    const size_t dot = domain.find('.');
    const std::string_view label = domain.substr(0, dot);
    const bool shaped = !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
                        std::ranges::all_of(label, [](char c) { return isLetterOrDigit(c) || c == '-'; });
    if (!shaped) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

// The dot-atom form of RFC 5321 without quoted local parts and address literals.
bool isEmail(std::string_view text) {
  constexpr std::string_view kAtom = "!#$%&'*+-/=?^_`{|}~.";
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > 254) return false;
  const std::string_view local = text.substr(0, at);
  const bool plain =
      std::ranges::all_of(local, [&](char c) { return isLetterOrDigit(c) || kAtom.find(c) != std::string_view::npos; });
  const bool dotsInside = local.front() != '.' && local.back() != '.' && local.find("..") == std::string_view::npos;
  return plain && dotsInside && isDomain(text.substr(at + 1));
}

bool isUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool isDash = i == 8 || i == 13 || i == 18 || i == 23;
    if (isDash ? text[i] != '-' : !isHex(text[i])) return false;
  }
  return true;
}

bool isAddress(int family, std::string_view text) {
  if (text.size() > INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return false;
  in6_addr address;
  return inet_pton(family, std::string(text).c_str(), &address) == 1;
}

}  // namespace

std::optional<Format> formatByName(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &NamedFormat::name);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::string_view formatName(Format format) {
  return std::ranges::find(kFormats, format, &NamedFormat::format)->name;
}

bool matchesFormat(Format format, std::string_view text) {
  switch (format) {
    case Format::dateTime:
      return parseRfc3339(text).has_value();
    case Format::date:
      return text.size() == 10 && parseRfc3339(std::string(text) + "T00:00:00Z").has_value();
    case Format::time:
      return parseRfc3339("1970-01-01T" + std::string(text)).has_value();
    case Format::email:
      return isEmail(text);
    case Format::uri:
      return boost::urls::parse_uri(boost::urls::string_view(text.data(), text.size())).has_value();
    case Format::uuid:
      return isUuid(text);
    case Format::ipv4:
      return isAddress(AF_INET, text);
    case Format::ipv6:
      return isAddress(AF_INET6, text);
  }
  return false;
}

}  // namespace mb::doc
