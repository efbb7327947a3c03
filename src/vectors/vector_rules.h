// What a vector config may be.
#pragma once

#include "vectors/vector_types.h"

namespace mb::vectors {

// Of one collection.
inline constexpr size_t kMaxVectorFields = 8;

// All that is wrong with it, paths relative to the config; empty where nothing is. `embeds`: the deployment has an
// embeddings endpoint.
std::vector<ErrorDetail> problemsOf(const VectorConfig& config, bool embeds);
// The same as an error.
Result<> check(const VectorConfig& config, bool embeds);
// With metric and mode said.
VectorConfig canonical(VectorConfig config);

}  // namespace mb::vectors
