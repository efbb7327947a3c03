// What the sources of EmbeddingJobs share.
#pragma once

#include "store/records.h"
#include "vectors/embedding_jobs.h"

namespace mb::vectors {

inline store::Deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

inline store::WriteOptions asServer() {
  return {.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}};
}

// "" without a document.
inline std::string textOf(const VectorField& field, const std::optional<doc::Document>& document) {
  return document ? field.source.of(*document) : std::string();
}

}  // namespace mb::vectors
