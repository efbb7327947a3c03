// The settings SERVICE_EMBEDDINGS_* and SERVICE_VECTOR_MEMORY.
#pragma once

#include "base/settings.h"

namespace mb::vectors {

struct VectorSettings {
  explicit VectorSettings(Settings& settings);
  VectorSettings() = default;
  std::string embeddingsUrl;  // the whole endpoint; "": no field can be in mode auto
  std::string embeddingsModel;
  Secret embeddingsKey;                 // "": none is sent
  uint64_t memory = uint64_t{2} << 30;  // of all indexes together

  bool embeds() const { return !embeddingsUrl.empty(); }
};

}  // namespace mb::vectors
