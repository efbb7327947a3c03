// VectorSearch finds the documents with the nearest vectors among those that the caller may read and the filter
// matches. Independent of HTTP.
#pragma once

#include "data/search_documents.h"
#include "vectors/embedder.h"
#include "vectors/vector_index_manager.h"

namespace mb::vectors {

inline constexpr int64_t kDefaultHits = 10;
inline constexpr int64_t kMaxHits = 1000;

struct SearchRequest {
  std::optional<std::string> text;      // mode auto: the query
  std::optional<doc::Value> vector;     // mode manual: the query as numbers
  std::optional<std::string> field;     // absent: the first of the config
  std::optional<doc::Document> filter;  // combined with the policy's
  std::optional<uint64_t> limit;        // clamped to kMaxHits
};

struct SearchHit {
  doc::Document document;  // without the fields that the caller may not read
  double score = 0;
};

struct SearchResult {
  std::vector<SearchHit> hits;  // best first
};

struct SearchDeps {
  data::SearchDocuments documents;
  snapshot::SlotKey<data::CollectionTable> collections;
  snapshot::SlotKey<VectorTable> slot;
  VectorIndexManager& indexes;
  Embedder& embedder;
  WorkerPool& pool;  // runs searches
};

class VectorSearch {
 public:
  explicit VectorSearch(SearchDeps deps) : deps_(deps) {}

  // Fails with validation (no config, an unknown field, text where a vector is required or the other way round), the
  // errors of data::Documents::list, forbidden also if the field or its source is denied to the caller, upstreamFailed
  // and upstreamTimeout (the text could not be embedded), unavailable (the index is not ready). The referents of
  // `access` outlive the call.
  Task<SearchResult> search(const data::Access& access, const std::string& collection, SearchRequest request);
  // Whether the caller may search the collection at all. Fails with forbidden, notFound.
  Result<> allowed(const data::Access& access, const std::string& collection) const;
  // Whether the collection has a config.
  bool searchable(const snapshot::ProjectSnapshot& project, std::string_view collection) const {
    return project.get(deps_.slot).find(collection) != nullptr;
  }

 private:
  struct Run;
  Result<VectorFieldPtr> fieldOf(const CollectionVectors* vectors, const SearchRequest& request) const;
  Task<std::vector<float>> queryOf(const data::Access& access, VectorFieldPtr field, const SearchRequest& request);
  Task<> nearest(Run& run);
  Task<> exact(Run& run, const std::vector<std::string>& ids);
  Task<> collectVisible(Run& run, std::vector<Hit> candidates);

  SearchDeps deps_;
};

}  // namespace mb::vectors
