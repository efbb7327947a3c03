// The contents of CollectionInfo.config: {schema?, policy?, vectors?, policyTests?, source?, missing?, refs: [{name,
// number}]}; `vectors` belongs to vectors/. `source` is the name of the collection in the database of the project's
// owner, `missing` is true while that has no such collection. `refs` binds the names in the schema's x-ref to
// collection numbers, so that a rename of the target is one change of one collection and every reader sees the new name
// at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"
#include "store/store.h"

namespace mb::data {

struct BoundReference {
  std::string name;  // as the schema was saved
  store::CollectionNo number = 0;
};

struct CollectionConfig {
  std::optional<doc::Document> schema;
  std::optional<doc::Document> policy;
  std::vector<BoundReference> references;
  std::optional<doc::Document> vectors = {};
  std::vector<doc::Document> policyTests = {};  // data/policy_tests.h
  std::string source = {};                      // "" on the deployment's own store
  bool isMissing = false;                       // in the database of the project's owner

  static CollectionConfig read(doc::DocumentView stored);
  doc::Document write() const;
  // Binds `name` to `number`; false if it was bound to it already.
  bool bind(std::string_view name, store::CollectionNo number);
  const BoundReference* binding(std::string_view name) const;
};

}  // namespace mb::data
