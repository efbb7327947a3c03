// The types of vector configs: as set, as stored, as returned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::vectors {

// Numbers 100 to 109 of the system collections belong to this module.
inline constexpr store::CollectionNo kEmbeddings = 100;  // embedding_rows.h
inline constexpr store::CollectionNo kWalks = 101;       // embedding_rows.h

// The text that is embedded.
struct SourceConfig {
  std::vector<std::string> fields;
  std::optional<std::string> layout;  // "template" on the wire: text with {{field}} in it
  static constexpr auto shape() {
    return doc::shape<SourceConfig>("VectorSource", doc::field("fields", &SourceConfig::fields),
                                    doc::field("template", &SourceConfig::layout));
  }
  bool operator==(const SourceConfig&) const = default;
};

// How the graph is built and searched; an absent member means its default.
struct GraphConfig {
  std::optional<int64_t> m;
  std::optional<int64_t> efConstruction;
  std::optional<int64_t> efSearch;
  static constexpr auto shape() {
    return doc::shape<GraphConfig>("VectorIndexOptions", doc::field("m", &GraphConfig::m),
                                   doc::field("efConstruction", &GraphConfig::efConstruction),
                                   doc::field("efSearch", &GraphConfig::efSearch));
  }
  bool operator==(const GraphConfig&) const = default;
};

struct FieldConfig {
  std::string name;
  int64_t dimensions = 0;
  std::optional<std::string> metric;  // absent: cosine
  std::optional<SourceConfig> source;
  std::optional<std::string> mode;  // absent: manual
  std::optional<GraphConfig> index;
  static constexpr auto shape() {
    return doc::shape<FieldConfig>(
        "VectorField", doc::field("name", &FieldConfig::name), doc::field("dimensions", &FieldConfig::dimensions),
        doc::field("metric", &FieldConfig::metric), doc::field("source", &FieldConfig::source),
        doc::field("mode", &FieldConfig::mode), doc::field("index", &FieldConfig::index));
  }
  bool operator==(const FieldConfig&) const = default;
};

struct VectorConfig {
  std::vector<FieldConfig> fields;
  static constexpr auto shape() {
    return doc::shape<VectorConfig>("VectorConfig", doc::field("fields", &VectorConfig::fields));
  }
  bool operator==(const VectorConfig&) const = default;
};

// A field as stored in the configuration of its collection (data/collection_config.h).
struct StoredField {
  std::string id;  // unique: rows and files of an earlier field of the same name have another id
  FieldConfig config;
  static constexpr auto shape() {
    return doc::shape<StoredField>("StoredVectorField", doc::field("id", &StoredField::id),
                                   doc::field("config", &StoredField::config));
  }
};

struct StoredConfig {
  std::vector<StoredField> fields;
  static constexpr auto shape() {
    return doc::shape<StoredConfig>("StoredVectorConfig", doc::field("fields", &StoredConfig::fields));
  }
};

// The progress of embedding of a field in mode auto.
struct EmbeddingView {
  std::string model;
  int64_t documents = 0;  // of the collection
  int64_t embedded = 0;   // of these documents, by this config and model, including those without a text
  int64_t waiting = 0;    // jobs of the field that wait or run
  static constexpr auto shape() {
    return doc::shape<EmbeddingView>("VectorEmbedding", doc::field("model", &EmbeddingView::model),
                                     doc::field("documents", &EmbeddingView::documents),
                                     doc::field("embedded", &EmbeddingView::embedded),
                                     doc::field("waiting", &EmbeddingView::waiting));
  }
};

// The index of a field.
struct IndexView {
  std::string field;
  std::string state;                   // ready, building, loading, unloaded, failed
  std::optional<double> progress;      // while it is built, 0 to 1
  std::optional<std::string> problem;  // of the state failed, or the plan's limit that holds embeddings back
  int64_t vectors = 0;
  int64_t bytes = 0;  // in memory
  std::optional<EmbeddingView> embedding;
  static constexpr auto shape() {
    return doc::shape<IndexView>("VectorIndex", doc::field("field", &IndexView::field),
                                 doc::field("state", &IndexView::state), doc::field("progress", &IndexView::progress),
                                 doc::field("problem", &IndexView::problem), doc::field("vectors", &IndexView::vectors),
                                 doc::field("bytes", &IndexView::bytes),
                                 doc::field("embedding", &IndexView::embedding));
  }
};

// A config and the state of its indexes; both empty if a collection has no config.
struct ConfigView {
  doc::Nullable<VectorConfig> config;
  std::vector<IndexView> indexes;
  static constexpr auto shape() {
    return doc::shape<ConfigView>("VectorConfigView", doc::field("config", &ConfigView::config),
                                  doc::field("indexes", &ConfigView::indexes));
  }
};

// A config with its collection, as in lists and in the project configuration.
struct CollectionConfigView {
  std::string collection;
  std::vector<FieldConfig> fields;
  static constexpr auto shape() {
    return doc::shape<CollectionConfigView>("CollectionVectorConfig",
                                            doc::field("collection", &CollectionConfigView::collection),
                                            doc::field("fields", &CollectionConfigView::fields));
  }
};

}  // namespace mb::vectors
