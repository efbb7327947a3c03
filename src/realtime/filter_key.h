// Filters as keys: which are the same, and which can be found by a value that the document holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/filter.h"
#include "document/traverse.h"

namespace mb::realtime {

// Bytes that are the same for two filters only where these match the same documents.
std::string identityOf(const doc::Filter& filter);

// A key that equal values share, whatever their number type; nullopt for values that no index holds: null, documents,
// arrays and what is rare. Different values may share one.
std::optional<uint64_t> valueKey(doc::ValueView value);

// A condition that must hold for the filter to match: one of the values stands at the path, or in an array there.
struct EqualityCondition {
  doc::FieldPath path;
  std::vector<uint64_t> keys;  // unique
};
// Those that an index can hold.
std::vector<EqualityCondition> equalitiesOf(const doc::Filter& filter);

// Calls visit(key) for each value that an equality on `path` would be compared with.
template <class Visit>
void forEachKey(doc::DocumentView document, const doc::FieldPath& path, Visit visit) {
  auto at = [&visit](const doc::ValueView* value) {
    if (value != nullptr) {
      if (const auto key = valueKey(*value)) visit(*key);
    }
    return false;
  };
  doc::traverse(document, path.steps(), doc::Leaf::elementsToo, at);
}

}  // namespace mb::realtime
