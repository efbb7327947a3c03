#include "vectors/vector_settings.h"

#include "outbound/outbound.h"

namespace mb::vectors {

VectorSettings::VectorSettings(Settings& settings)
    : embeddingsUrl(settings.text("SERVICE_EMBEDDINGS_URL", "",
                                  "OpenAI-compatible endpoint that creates embeddings of texts, such as "
                                  "https://api.openai.com/v1/embeddings; unset: no vector field can be in mode auto")),
      embeddingsModel(settings.text("SERVICE_EMBEDDINGS_MODEL", "text-embedding-3-small",
                                    "model to request from the embeddings endpoint")),
      memory(static_cast<uint64_t>(settings.bytes("SERVICE_VECTOR_MEMORY", int64_t{2} << 30, int64_t{16} << 20,
                                                  int64_t{1} << 40, "memory of all vector indexes together"))) {
  if (auto key = settings.secret("SERVICE_EMBEDDINGS_API_KEY", "key of the embeddings endpoint")) {
    embeddingsKey = *std::move(key);
  }
  if (embeddingsUrl.empty()) return;
  if (const auto origin = outbound::originOf(embeddingsUrl); !origin) {
    settings.refuse("SERVICE_EMBEDDINGS_URL", origin.error().message());
  }
  if (embeddingsModel.empty()) settings.refuse("SERVICE_EMBEDDINGS_MODEL", "must name a model");
  if (!outbound::isHeaderValue(embeddingsKey.reveal())) {
    settings.refuse("SERVICE_EMBEDDINGS_API_KEY", "must be printable ASCII");
  }
}

}  // namespace mb::vectors
