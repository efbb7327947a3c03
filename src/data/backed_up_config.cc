#include "data/backed_up_config.h"

#include <algorithm>

#include "data/schema_references.h"

namespace mb::data {

doc::Document backedUpConfig(doc::DocumentView stored, const std::vector<store::CollectionInfo>& collections) {
  CollectionConfig config = CollectionConfig::read(stored);
  if (config.schema) {
    config.schema = renameReferences(*config.schema, [&](std::string_view name) {
      const BoundReference* bound = config.binding(name);
      const auto found =
          bound ? std::ranges::find(collections, bound->number, &store::CollectionInfo::number) : collections.end();
      return found == collections.end() ? std::string(name) : found->name;
    });
  }
  config.references.clear();
  return config.write();
}

CollectionConfig restoredConfig(doc::DocumentView backedUp) {
  CollectionConfig config = CollectionConfig::read(backedUp);
  config.references.clear();
  return config;
}

}  // namespace mb::data
