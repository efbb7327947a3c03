#pragma once

#include <optional>
#include <string_view>

namespace mb::doc {

// The values of the `format` keyword.
enum class Format { dateTime, date, time, email, uri, uuid, ipv4, ipv6 };

std::optional<Format> formatByName(std::string_view name);
std::string_view formatName(Format format);
bool matchesFormat(Format format, std::string_view text);

}  // namespace mb::doc
