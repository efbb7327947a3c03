#include "api/document_conditions.h"

#include "base/text.h"
#include "http/conditional.h"

namespace mb::api {

namespace {

constexpr std::string_view kSpace = " \t";

// Removes and returns what comes before the separator.
std::string_view takePart(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view part = trimmed(text.substr(0, at), kSpace);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

Result<std::optional<data::EntityTags>> tagsOf(const http::Request& request, std::string_view header, bool weakly) {
  TRY(const auto list, http::entityTags(request, header));
  if (!list) return std::nullopt;
  data::EntityTags named{list->any};
  for (const http::EntityTagList::Tag& tag : list->tags) {
    if (weakly || !tag.weak) named.tags.emplace_back(tag.text);
  }
  return named;
}

}  // namespace

Result<data::WriteCondition> writeConditionOf(const http::Request& request) {
  data::WriteCondition condition;
  TRY(condition.match, tagsOf(request, "if-match", false));
  TRY(condition.noneMatch, tagsOf(request, "if-none-match", true));
  return condition;
}

bool prefersRepresentation(const http::Request& request) {
  for (const http::Header& header : request.headers) {
    if (!http::equalsIgnoreCase(header.name, "prefer")) continue;
    for (std::string_view left = header.value; !left.empty();) {
      std::string_view preference = takePart(left, ',');
      std::string_view value = takePart(preference, ';');
      const std::string_view name = takePart(value, '=');
      // Of several values the first counts.
      if (http::equalsIgnoreCase(name, "return"))
        return http::equalsIgnoreCase(unquoted(trimmed(value, kSpace)), "representation");
    }
  }
  return false;
}

void addVersion(http::Response& response, std::string etag) {
  response.headers.emplace_back("etag", std::move(etag));
  response.headers.emplace_back("vary", "authorization");
}

}  // namespace mb::api
