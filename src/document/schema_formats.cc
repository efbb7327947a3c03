#include "document/schema_formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <chrono>
#include <string>

#include "base/text.h"
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

bool isAddress(int family, std::string_view text) {
  if (text.size() > INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return false;
  in6_addr address;
  return inet_pton(family, std::string(text).c_str(), &address) == 1;
}

// RFC 5321: words joined by dots, or a quoted string.
bool isLocalPart(std::string_view local) {
  constexpr std::string_view kAtom = "!#$%&'*+-/=?^_`{|}~.";
  if (local.empty() || local.size() > 64) return false;
  if (local.front() == '"') {
    if (local.size() < 2 || local.back() != '"') return false;
    local = local.substr(1, local.size() - 2);
    for (size_t i = 0; i < local.size(); ++i) {
      if (local[i] < ' ' || local[i] > '~' || local[i] == '"') return false;
      if (local[i] == '\\' && (++i == local.size() || local[i] < ' ' || local[i] > '~')) return false;
    }
    return true;
  }
  const bool plain =
      std::ranges::all_of(local, [&](char c) { return isLetterOrDigit(c) || kAtom.find(c) != std::string_view::npos; });
  return plain && local.front() != '.' && local.back() != '.' && local.find("..") == std::string_view::npos;
}

// A domain, or an address in brackets.
bool isMailHost(std::string_view host) {
  if (!host.starts_with('[')) return isDomain(host);
  if (!host.ends_with(']')) return false;
  host = host.substr(1, host.size() - 2);
  constexpr std::string_view kIpv6 = "IPv6:";
  return host.starts_with(kIpv6) ? isAddress(AF_INET6, host.substr(kIpv6.size())) : isAddress(AF_INET, host);
}

// A Mailbox of RFC 5321.
bool isEmail(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > 254) return false;
  return isLocalPart(text.substr(0, at)) && isMailHost(text.substr(at + 1));
}

bool isUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool isDash = i == 8 || i == 13 || i == 18 || i == 23;
    if (isDash ? text[i] != '-' : hexDigit(text[i]) < 0) return false;
  }
  return true;
}

// The number of the two digits at `at`; -1 if there are not two digits.
int twoDigits(std::string_view text, size_t at) {
  const auto digit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : -1; };
  return digit(at) < 0 || digit(at + 1) < 0 ? -1 : digit(at) * 10 + digit(at + 1);
}

// full-date of RFC 3339.
bool isDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int century = twoDigits(text, 0);
  const int year = twoDigits(text, 2);
  const int month = twoDigits(text, 5);
  const int day = twoDigits(text, 8);
  if (century < 0 || year < 0 || month < 0 || day < 0) return false;
  return std::chrono::year_month_day(std::chrono::year(century * 100 + year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

// The minutes of a time-offset of RFC 3339; nullopt if `text` is not one.
std::optional<int> offsetMinutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = twoDigits(text, 1);
  const int minutes = twoDigits(text, 4);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

// full-time of RFC 3339. A second 60 is a leap second, which there is only before midnight UTC.
bool isTime(std::string_view text) {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':') return false;
  const int hour = twoDigits(text, 0);
  const int minute = twoDigits(text, 3);
  const int second = twoDigits(text, 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  size_t at = 8;
  if (text[at] == '.') {
    const size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    if (end == at + 1) return false;
    at = end;
  }
  const auto offset = offsetMinutes(text.substr(at));
  if (!offset || second < 60) return offset.has_value();
  constexpr int kDay = 24 * 60;
  return (hour * 60 + minute - *offset + kDay) % kDay == kDay - 1;
}

bool isDateTime(std::string_view text) {
  constexpr size_t kDate = 10;
  return text.size() > kDate && (text[kDate] == 'T' || text[kDate] == 't') && isDate(text.substr(0, kDate)) &&
         isTime(text.substr(kDate + 1));
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
      return isDateTime(text);
    case Format::date:
      return isDate(text);
    case Format::time:
      return isTime(text);
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
