#include "data/policy_fields.h"

namespace mb::data {
namespace {

constexpr std::string_view kOwner = "ownerId";

// Whether a condition, also one inside $and, $or or $nor, is on `ownerId`.
bool namesOwner(doc::DocumentView filter) {
  for (const doc::Element& element : filter) {
    if (element.key == kOwner) return true;
    if (!element.key.starts_with('$') || element.value.type() != doc::BsonType::array) continue;
    for (const doc::Element& branch : element.value.asDocument()) {
      if (branch.value.type() == doc::BsonType::document && namesOwner(branch.value.asDocument())) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> fieldsForPolicy(doc::DocumentView policy) {
  for (const std::string_view operation : {"list", "read", "public.list", "public.read"}) {
    const auto filter = policy.findPath(std::string(operation) + ".filter");
    if (filter && filter->type() == doc::BsonType::document && namesOwner(filter->asDocument())) {
      return {std::string(kOwner)};
    }
  }
  return {};
}

}  // namespace mb::data
