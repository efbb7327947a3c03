#include "http/conditional.h"

namespace mb::http {

namespace {

std::string_view withoutWeakness(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

}  // namespace

bool isNotModified(const Request& request, std::string_view etag) {
  etag = withoutWeakness(etag);
  for (const Header& header : request.headers) {
    if (!equalsIgnoreCase(header.name, "if-none-match")) continue;
    std::string_view left = header.value;
    if (left == "*") return true;
    // A tag is quoted and may hold commas.
    for (size_t open = left.find('"'); open != std::string_view::npos; open = left.find('"')) {
      const size_t close = left.find('"', open + 1);
      if (close == std::string_view::npos) break;
      if (left.substr(open, close + 1 - open) == etag) return true;
      left.remove_prefix(close + 1);
    }
  }
  return false;
}

}  // namespace mb::http
