#include "data/policy_fields.h"

#include <algorithm>

namespace mb::data {
namespace {

constexpr std::string_view kOwner = "ownerId";

// Whether a condition, also one inside $and, $or or $nor, is on a path that `isWanted` returns true for.
bool names(doc::DocumentView filter, bool (*isWanted)(std::string_view path)) {
  for (const doc::Element& element : filter) {
    if (isWanted(element.key)) return true;
    if (!element.key.starts_with('$') || element.value.type() != doc::BsonType::array) continue;
    for (const doc::Element& branch : element.value.asDocument()) {
      if (branch.value.type() == doc::BsonType::document && names(branch.value.asDocument(), isWanted)) return true;
    }
  }
  return false;
}

bool isOwner(std::string_view path) {
  return path == kOwner;
}

bool isKey(std::string_view path) {
  return path == "_id" || path.starts_with("_id.");
}

}  // namespace

std::vector<std::string> fieldsForPolicy(doc::DocumentView policy) {
  for (const std::string_view operation : {"list", "read", "public.list", "public.read"}) {
    const auto filter = policy.findPath(std::string(operation) + ".filter");
    if (filter && filter->type() == doc::BsonType::document && names(filter->asDocument(), isOwner)) {
      return {std::string(kOwner)};
    }
  }
  return {};
}

Result<> refuseKeyFilters(doc::DocumentView policy) {
  for (const std::string_view operation : {"read", "list", "create", "update", "delete", "public.read", "public.list",
                                           "public.create", "public.update", "public.delete"}) {
    const auto filter = policy.findPath(std::string(operation) + ".filter");
    if (!filter || filter->type() != doc::BsonType::document || !names(filter->asDocument(), isKey)) continue;
    std::string path = fmt::format("/{}/filter", operation);
    std::ranges::replace(path, '.', '/');
    const std::string problem = "\"_id\" belongs to the project's database: use \"id\"";
    return fail(Error(ErrorCode::validation, path + ": " + problem).withDetail(path, problem));
  }
  return {};
}

}  // namespace mb::data
