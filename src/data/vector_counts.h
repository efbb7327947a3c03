// The number of a project's vectors, as a counter of the store. Two collections feed it: the embeddings of vectors/,
// and a row here for each document that holds vectors in fields of mode manual. A row changes in the write of its
// document. Rows of documents from before a vector config are created by jobs (vector_count_jobs.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/collection_table.h"
#include "store/store.h"

namespace mb::data {

inline constexpr store::CollectionNo kVectorCounts = 53;
inline constexpr store::CollectionNo kVectorCountWalks = 54;  // vector_count_jobs.h
inline constexpr store::CounterNo kVectors = 2;
inline constexpr std::string_view kVectorsCounter = "vectors";  // CounterSource::name

std::vector<store::SystemCollection> vectorCountCollections();
inline store::CollectionRef vectorCountsOf(store::ProjectNo project) {
  return {project, kVectorCounts, 0};
}
inline store::CounterKey vectorCounterOf(store::ProjectNo project) {
  return {project, kVectors, ""};
}

// "<collection>/<document>": numbers of collections are never reused.
std::string vectorCountId(store::CollectionNo collection, std::string_view document);
// The values of the fields that are not null.
int64_t heldVectors(const std::vector<ManualVectorField>& fields, doc::DocumentView document);
// The row; nullopt for no vectors, which have none.
std::optional<doc::Document> vectorCountRow(std::string id, int64_t vectors);
int64_t vectorsIn(const std::optional<doc::Document>& row);

// The rows of the documents that one write may change. Does nothing for a collection without fields in mode manual.
class VectorRows {
 public:
  // The collection outlives it.
  explicit VectorRows(const Collection& collection) : collection_(&collection) {}

  // Names the row of a document in the write. After all documents, whose positions some callers rely on. `idIsNew`: of
  // the document.
  void name(store::Write& write, store::Target document, std::string_view id, bool idIsNew = false);
  // In the callback, once the changes of the documents are decided: sets the rows accordingly. A write that does not
  // raise the vectors of its document does not raise its row either, so that no limit refuses it: a document that no
  // job has counted yet is left to that job.
  void follow(const store::PreImages& before, store::Changes& changes) const;

 private:
  struct Row {
    store::Target document;
    store::Target row;
    std::string id;
  };
  store::Change changeOf(const Row& row, const store::PreImages& before, const store::Change& change) const;

  const Collection* collection_;
  std::vector<Row> rows_;
};

}  // namespace mb::data
