// Rows of the fields in mode auto, in system collections of the project: an EmbeddingRow for each document, and a
// WalkRow for each field whose documents were all read.
#pragma once

#include <span>

#include "vectors/vector_table.h"

namespace mb::vectors {

struct EmbeddingRow {
  std::string id;     // "<field>/<document>"
  std::string state;  // "<field>/<fingerprint>": the store counts rows by it, so rows of the current config are counted
  std::string seq;    // seqOf(): ascends with the commits of the field, whichever processes make them
  std::string hash;   // VectorField::hashOf()
  doc::Value vector;  // 32-bit floats, little-endian, as binary; null where the text is empty
  static constexpr auto shape() {
    return doc::shape<EmbeddingRow>("Embedding", doc::field("id", &EmbeddingRow::id),
                                    doc::field("state", &EmbeddingRow::state), doc::field("seq", &EmbeddingRow::seq),
                                    doc::field("hash", &EmbeddingRow::hash),
                                    doc::field("vector", &EmbeddingRow::vector));
  }
};

// Records that a walk has read all documents under a config: a document without an embedding of it has a waiting job,
// or `held` is set. And the number of the last row: each commit of rows changes this one, so that commits of several
// processes exclude one another, and a reader that sees the row of a number has seen those of all numbers below it.
struct WalkRow {
  std::string id;           // of the field
  std::string fingerprint;  // "" if no walk has ended
  // Documents were left without an embedding because the plan's limit had no space for it: a further walk, from the
  // first document on, is in the queue. It clears this when it begins.
  std::optional<bool> held;
  std::optional<int64_t> rows;  // the number of the last EmbeddingRow of the field
  static constexpr auto shape() {
    return doc::shape<WalkRow>("VectorWalk", doc::field("id", &WalkRow::id),
                               doc::field("fingerprint", &WalkRow::fingerprint), doc::field("held", &WalkRow::held),
                               doc::field("rows", &WalkRow::rows));
  }
};

std::vector<store::SystemCollection> systemCollections();

store::CollectionRef embeddingsOf(store::ProjectNo project);
std::string rowIdOf(std::string_view fieldId, std::string_view document);
std::string_view documentOf(const EmbeddingRow& row);  // the document's id
// EmbeddingRow::seq of the row with a number.
std::string seqOf(std::string_view fieldId, int64_t number);
std::string stateOf(const VectorField& field);
doc::Value packed(std::span<const float> vector);
// Whether a stored row has a vector.
bool hasVector(doc::DocumentView row);
// Empty if the row has no vector of these dimensions.
std::vector<float> unpacked(const EmbeddingRow& row, size_t dimensions);

// The rows of a field after `seq` ("": from the first), in that order, at most `limit`.
Task<std::vector<EmbeddingRow>> rowsBehind(store::DocumentStore& store, store::ProjectNo project, std::string fieldId,
                                           std::string seq, uint64_t limit);
// The highest number of the rows of a field; 0 without rows that have one. What a WalkRow says may be higher, and is
// absent where the rows were restored from a backup.
Task<int64_t> highestNumber(store::DocumentStore& store, store::ProjectNo project, std::string fieldId);

}  // namespace mb::vectors
