// Keys of filters: identity, and values by which an index finds them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/filter.h"
#include "document/traverse.h"

namespace mb::realtime {

// Bytes that are equal for two filters only if both match the same documents.
std::string identityOf(const doc::Filter& filter);

// A key that equal values share, whatever their number type; nullopt for values that are not indexed: null, documents,
// arrays and rare types. Different values may share a key.
std::optional<uint64_t> valueKey(doc::ValueView value);

// A necessary condition of a filter: the path, or an array there, holds one of the values.
struct EqualityCondition {
  doc::FieldPath path;
  std::vector<uint64_t> keys;  // unique
};
// The conditions of the filter that can be indexed.
std::vector<EqualityCondition> equalitiesOf(const doc::Filter& filter);

// Calls visit(key) for each value that an equality on `path` is compared with.
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
