// Creates embeddings of texts with the deployment's OpenAI-compatible endpoint.
#pragma once

#include "base/worker_pool.h"
#include "outbound/outbound.h"
#include "vectors/vector_settings.h"

namespace mb::vectors {

// Texts of one call.
inline constexpr size_t kMaxTexts = 32;

using TextVectors = std::vector<std::vector<float>>;

class Embedder {
 public:
  // `pool` parses the responses, which are large.
  Embedder(outbound::Outbound& outbound, WorkerPool& pool, VectorSettings settings)
      : outbound_(outbound), pool_(pool), settings_(std::move(settings)) {}

  bool configured() const { return settings_.embeds(); }
  const std::string& model() const { return settings_.embeddingsModel; }
  // Returns one vector of `dimensions` numbers for each text, in their order. `keys`: the fairness keys of the call.
  // Fails with upstreamFailed, upstreamTimeout; with upstreamRejected if the endpoint rejects these texts; with
  // unavailable if no endpoint is configured.
  Task<TextVectors> embed(std::vector<std::string> texts, size_t dimensions, outbound::CallKeys keys,
                          std::chrono::milliseconds timeout);

 private:
  outbound::Outbound& outbound_;
  WorkerPool& pool_;
  const VectorSettings settings_;
};

// Parses the body of a response. Fails with upstreamFailed.
Result<TextVectors> vectorsIn(const std::string& body, size_t texts, size_t dimensions);

}  // namespace mb::vectors
