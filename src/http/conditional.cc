#include "http/conditional.h"

#include <algorithm>

namespace mb::http {

namespace {

constexpr std::string_view kWeak = "W/";

std::string_view withoutWeakness(std::string_view tag) {
  if (tag.starts_with(kWeak)) tag.remove_prefix(kWeak.size());
  return tag;
}

// Spaces, and commas of empty elements, before the next tag.
std::string_view atTag(std::string_view list) {
  return list.substr(std::min(list.find_first_not_of(" \t,"), list.size()));
}

bool isTagCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7F);
}

// The quoted string at the start of `text`; nullopt without one.
std::optional<std::string_view> quotedTag(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  const size_t close = text.find('"', 1);
  if (close == std::string_view::npos) return std::nullopt;
  if (!std::ranges::all_of(text.substr(1, close - 1), isTagCharacter)) return std::nullopt;
  return text.substr(0, close + 1);
}

// Adds the tags of one header; false if it is malformed.
bool addTags(std::string_view list, std::vector<EntityTagList::Tag>& tags) {
  for (list = atTag(list); !list.empty(); list = atTag(list)) {
    const std::string_view strong = withoutWeakness(list);
    const auto tag = quotedTag(strong);
    if (!tag) return false;
    tags.push_back({*tag, strong.size() != list.size()});
    list = strong.substr(tag->size());
    const size_t next = list.find_first_not_of(" \t");
    if (next != std::string_view::npos && list[next] != ',') return false;
  }
  return true;
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

Result<std::optional<EntityTagList>> entityTags(const Request& request, std::string_view header) {
  std::optional<EntityTagList> found;
  bool valid = true;
  for (const Header& each : request.headers) {
    if (!equalsIgnoreCase(each.name, header)) continue;
    if (!found) found.emplace();
    if (each.value == "*") {
      valid = valid && !found->any && found->tags.empty();
      found->any = true;
    } else {
      valid = valid && !found->any && addTags(each.value, found->tags);
    }
  }
  if (!found) return found;
  if (valid && (found->any || !found->tags.empty())) return found;
  return fail(ErrorCode::invalidParam,
              fmt::format("{} must be \"*\" or entity tags in quotes, separated by commas", header));
}

}  // namespace mb::http
