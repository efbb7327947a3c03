// arrayFilters, and the elements that they select.
#include <algorithm>

#include "document/update_tree.h"

namespace mb::doc {

namespace {

constexpr size_t kMaxFilters = 32;

// The name that all paths of a filter begin with; nullopt if they do not all begin with the same name.
std::optional<std::string> nameOf(const Filter& filter) {
  std::optional<std::string> name;
  for (const std::string& path : filter.paths()) {
    std::string first = path.substr(0, path.find('.'));
    if (name && *name != first) return std::nullopt;
    name = std::move(first);
  }
  return name;
}

Result<std::pair<std::string, Filter>> arrayFilter(ValueView source, const FilterCoercion* coercion) {
  if (source.type() != BsonType::document) return refuseUpdate("arrayFilters takes an array of filters");
  auto filter = Filter::parse(source.asDocument(), coercion);
  if (!filter) return refuseUpdate(fmt::format("arrayFilters: {}", filter.error().message()));
  auto name = nameOf(*filter);
  if (!name) return refuseUpdate("the paths of a filter of arrayFilters must all begin with the same name");
  if (!isFilterName(*name)) {
    return refuseUpdate(fmt::format(
        "\"{}\" is not a valid array filter name: use a small letter, then letters and digits", name->substr(0, 100)));
  }
  return std::pair{*std::move(name), *std::move(filter)};
}

}  // namespace

bool isFilterName(std::string_view name) {
  const auto isSmall = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto isPart = [&](char c) { return isSmall(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return !name.empty() && isSmall(name.front()) && std::ranges::all_of(name, isPart);
}

Result<ArrayFilters> parseArrayFilters(DocumentView source, const FilterCoercion* coercion) {
  if (source.count() > kMaxFilters) return refuseUpdate("arrayFilters must hold at most 32 filters");
  ArrayFilters filters;
  for (const Element& element : source) {
    TRY(auto filter, arrayFilter(element.value, coercion));
    const auto hasName = [&](const auto& given) { return given.first == filter.first; };
    if (std::ranges::any_of(filters, hasName)) {
      return refuseUpdate(fmt::format("arrayFilters must not hold more than one filter for \"{}\"", filter.first));
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

bool takesElement(const Filter& filter, std::string_view name, ValueView element) {
  BsonWriter named;
  named.append(name, element);
  return filter.matches(named.finish());
}

}  // namespace mb::doc
