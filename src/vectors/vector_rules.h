// Validation of vector configs.
#pragma once

#include "vectors/vector_types.h"

namespace mb::vectors {

// Of one collection.
inline constexpr size_t kMaxVectorFields = 8;

// All problems of `config`, paths relative to it; empty if it is valid. `embeds`: the deployment has an embeddings
// endpoint.
std::vector<ErrorDetail> problemsOf(const VectorConfig& config, bool embeds);
// The same as an error.
Result<> check(const VectorConfig& config, bool embeds);
// With metric and mode set.
VectorConfig canonical(VectorConfig config);

}  // namespace mb::vectors
