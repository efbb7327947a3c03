// Conditional requests (RFC 9110, 13).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace mb::http {

// Whether `if-none-match` names the entity tag, so that a GET gets 304. Weak comparison: "W/" is ignored.
bool isNotModified(const Request& request, std::string_view etag);

// The entity tags in the headers of one name, if-match or if-none-match: "*" alone, or a list.
struct EntityTagList {
  struct Tag {
    std::string_view text;  // with its quotes, without "W/"
    bool weak = false;
  };
  bool any = false;
  std::vector<Tag> tags;
};
// nullopt without such a header. Fails with invalidParam for one that is malformed or names no tag. The views are those
// of the request.
Result<std::optional<EntityTagList>> entityTags(const Request& request, std::string_view header);

}  // namespace mb::http
