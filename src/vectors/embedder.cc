#include "vectors/embedder.h"

#include "data/vector_fields.h"
#include "document/json.h"

namespace mb::vectors {

namespace {

constexpr size_t kMaxResponseBytes = 16 << 20;

std::string bodyOf(const std::string& model, const std::vector<std::string>& texts) {
  std::string body = "{\"model\":";
  doc::writeJsonString(body, model);
  body += ",\"encoding_format\":\"float\",\"input\":[";
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) body += ',';
    doc::writeJsonString(body, texts[i]);
  }
  body += "]}";
  return body;
}

std::unexpected<Error> failed(std::string cause) {
  return fail(Error(ErrorCode::upstreamFailed, "request failed").withCause(std::move(cause)));
}

// Whether the status concerns the texts, not the endpoint's state or the key.
bool refusesTexts(int status) {
  return status >= 400 && status < 500 && status != 401 && status != 403 && status != 404 && status != 408 &&
         status != 429;
}

}  // namespace

Result<TextVectors> vectorsIn(const std::string& body, size_t texts, size_t dimensions) {
  const auto parsed = doc::parseJson(body);
  if (!parsed) return failed("the response of the embeddings endpoint is not a JSON object");
  const auto data = parsed->view().find("data");
  if (!data || data->type() != doc::BsonType::array) {
    return failed("the response of the embeddings endpoint has no array \"data\"");
  }
  TextVectors vectors(texts);
  size_t position = 0;
  for (const doc::Element& each : data->asDocument()) {
    if (each.value.type() != doc::BsonType::document) return failed("an embedding is not an object");
    const doc::DocumentView item = each.value.asDocument();
    const auto index = item.find("index");
    const int64_t at = index && index->isNumber() ? index->toInteger().value_or(-1) : static_cast<int64_t>(position);
    ++position;
    const auto numbers = item.find("embedding");
    if (at < 0 || static_cast<size_t>(at) >= texts || !numbers) {
      return failed("an embedding has an invalid index or no numbers");
    }
    auto vector = data::vectorOf(*numbers, dimensions);
    if (!vector) return failed("an embedding " + vector.error());
    vectors[static_cast<size_t>(at)] = *std::move(vector);
  }
  for (const auto& vector : vectors) {
    if (vector.empty()) return failed("the embeddings endpoint returned too few embeddings");
  }
  return vectors;
}

Task<TextVectors> Embedder::embed(std::vector<std::string> texts, size_t dimensions, outbound::CallKeys keys,
                                  std::chrono::milliseconds timeout) {
  if (!configured()) {
    co_return fail(ErrorCode::unavailable, "this deployment has no embeddings endpoint: set SERVICE_EMBEDDINGS_URL");
  }
  outbound::Request request;
  request.method = "POST";
  request.url = settings_.embeddingsUrl;
  request.headers = {{"content-type", "application/json"}, {"accept", "application/json"}};
  if (!settings_.embeddingsKey.empty()) {
    request.headers.push_back({"authorization", fmt::format("Bearer {}", settings_.embeddingsKey.reveal())});
  }
  request.body = bodyOf(settings_.embeddingsModel, texts);
  request.trust = outbound::Trust::deployment;
  request.timeout = timeout;
  request.maxResponseBytes = kMaxResponseBytes;
  request.keys = std::move(keys);
  CO_TRY(outbound::Response response, co_await outbound_.send(std::move(request)));
  if (refusesTexts(response.status)) {
    co_return fail(Error(ErrorCode::upstreamRejected, "request failed")
                       .withCause(fmt::format("the embeddings endpoint returned status {}", response.status)));
  }
  if (response.status < 200 || response.status > 299) {
    co_return failed(fmt::format("the embeddings endpoint returned status {}", response.status));
  }
  co_return co_await pool_.run([body = std::move(response.body), count = texts.size(), dimensions] {
    return vectorsIn(body, count, dimensions);
  });
}

}  // namespace mb::vectors
