// Headers that hold a list, in one line or in several (RFC 9110, 5.6.1). Private to this module.
#pragma once

#include "base/text.h"
#include "http/message.h"

namespace mb::http {

inline std::string_view trimSpace(std::string_view text) {
  return trimmed(text, " \t");
}

// Whether `wanted(item)` is true for any item of the list. Stops at the first such item.
template <class F>
bool anyListed(const Request& request, std::string_view name, F wanted) {
  for (const Header& header : request.headers) {
    if (!equalsIgnoreCase(header.name, name)) continue;
    std::string_view left = header.value;
    while (!left.empty()) {
      const size_t comma = std::min(left.find(','), left.size());
      if (wanted(trimSpace(left.substr(0, comma)))) return true;
      left.remove_prefix(std::min(comma + 1, left.size()));
    }
  }
  return false;
}

}  // namespace mb::http
