// The module's part of the project snapshot: vector configs, compiled.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "snapshot/snapshot.h"
#include "vectors/source_text.h"
#include "vectors/vector_types.h"

namespace mb::vectors {

struct VectorField {
  std::string id;
  FieldConfig config;
  bool automatic = false;
  SourceText source;  // of an automatic one
  // What an embedding depends on besides the text: model, source, dimensions. Of an automatic one.
  std::string fingerprint;

  size_t dimensions() const { return static_cast<size_t>(config.dimensions); }
  // Hash of the text under this config: equal hashes mean equal embeddings.
  std::string hashOf(std::string_view text) const;
};
using VectorFieldPtr = std::shared_ptr<const VectorField>;

struct CollectionVectors {
  store::CollectionNo number = 0;
  uint64_t version = 0;
  std::string name;
  std::vector<VectorFieldPtr> fields;

  VectorFieldPtr find(std::string_view field) const;  // null if there is no such field
  VectorConfig config() const;
};
using CollectionVectorsPtr = std::shared_ptr<const CollectionVectors>;

struct VectorTable {
  struct Field {
    CollectionVectorsPtr collection;
    VectorFieldPtr field;
  };
  std::map<std::string, CollectionVectorsPtr, std::less<>> byName;
  std::unordered_map<store::CollectionNo, CollectionVectorsPtr> byNumber;
  std::unordered_map<std::string, Field> byFieldId;
  bool anyAutomatic = false;

  CollectionVectorsPtr find(std::string_view collection) const;  // null if the collection has no config
};

class VectorTables final : public snapshot::SlotSource {
 public:
  VectorTables(store::DocumentStore& store, std::string model) : store_(store), model_(std::move(model)) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;
  // Null if the collection has no config.
  CollectionVectorsPtr vectorsOf(const store::CollectionInfo& collection) const;

 private:
  store::DocumentStore& store_;
  const std::string model_;
};

}  // namespace mb::vectors
