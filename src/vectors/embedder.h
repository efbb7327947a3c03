// Vectors of texts, by the deployment's OpenAI-compatible endpoint.
#pragma once

#include "base/worker_pool.h"
#include "outbound/outbound.h"
#include "vectors/vector_settings.h"

namespace mb::vectors {

// Of one call.
inline constexpr size_t kMaxTexts = 32;

using TextVectors = std::vector<std::vector<float>>;

class Embedder {
 public:
  // `pool` reads the answers, which are large.
  Embedder(outbound::Outbound& outbound, WorkerPool& pool, VectorSettings settings)
      : outbound_(outbound), pool_(pool), settings_(std::move(settings)) {}

  bool configured() const { return settings_.embeds(); }
  const std::string& model() const { return settings_.embeddingsModel; }
  // One vector of `dimensions` numbers for each text, in their order; who waits with whom is in `keys`. Fails
  // with upstreamFailed, upstreamTimeout; with upstreamRejected where the endpoint will not have these texts; with
  // unavailable where there is no endpoint.
  Task<TextVectors> embed(std::vector<std::string> texts, size_t dimensions, outbound::CallKeys keys,
                          std::chrono::milliseconds timeout);

 private:
  outbound::Outbound& outbound_;
  WorkerPool& pool_;
  const VectorSettings settings_;
};

// What an answer's body says. Fails with upstreamFailed.
Result<TextVectors> vectorsIn(const std::string& body, size_t texts, size_t dimensions);

}  // namespace mb::vectors
