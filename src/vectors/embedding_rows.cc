#include "vectors/embedding_rows.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "data/vector_counts.h"
#include "store/records.h"

namespace mb::vectors {

static_assert(std::endian::native == std::endian::little);

namespace {

// Numbers sort above the ids that earlier releases wrote, which begin with the time.
constexpr char kNumberMark = 'n';

// The rows of a field after `seq` ("": all), in the order of `direction`.
Result<store::Query> queryOf(store::ProjectNo project, const std::string& fieldId, const std::string& seq,
                             int direction, uint64_t limit) {
  doc::BsonWriter filter;
  filter.beginDocument("seq");
  filter.appendString("$gt", seq.empty() ? fieldId + "/" : seq);
  filter.appendString("$lt", fieldId + "0");  // the first string after all that begin with "<field>/"
  filter.end();
  store::Query query;
  query.collection = embeddingsOf(project);
  TRY(query.filter, doc::Filter::parse(filter.finish()));
  query.sort = {{"seq", direction}};
  query.limit = limit;
  query.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  return query;
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  store::IndexSpec bySeq;
  bySeq.name = "seq_1";
  bySeq.keys = {{"seq", 1}};
  store::SystemCollection embeddings{kEmbeddings, "__embeddings", {bySeq}, false, "state"};
  embeddings.counters = {{data::kVectors, std::string(data::kVectorsCounter), "", "", "vector"}};
  return {std::move(embeddings), {kWalks, "__vector_walks", {}}};
}

store::CollectionRef embeddingsOf(store::ProjectNo project) {
  return {project, kEmbeddings, 0};
}

std::string rowIdOf(std::string_view fieldId, std::string_view document) {
  return fmt::format("{}/{}", fieldId, document);
}

std::string_view documentOf(const EmbeddingRow& row) {
  return std::string_view(row.id).substr(row.id.find('/') + 1);
}

std::string stateOf(const VectorField& field) {
  return fmt::format("{}/{}", field.id, field.fingerprint);
}

doc::Value packed(std::span<const float> vector) {
  doc::BsonWriter out;
  out.appendBinary("", {reinterpret_cast<const char*>(vector.data()), vector.size_bytes()});
  return doc::Value(out.finish().view().begin()->value);
}

bool hasVector(doc::DocumentView row) {
  const auto vector = row.find("vector");
  return vector && vector->type() != doc::BsonType::null;
}

std::vector<float> unpacked(const EmbeddingRow& row, size_t dimensions) {
  if (row.vector.type() != doc::BsonType::binary) return {};
  const std::string_view bytes = row.vector.view().asBinary();
  if (bytes.size() != dimensions * sizeof(float)) return {};
  std::vector<float> vector(dimensions);
  std::memcpy(vector.data(), bytes.data(), bytes.size());
  return vector;
}

std::string seqOf(std::string_view fieldId, int64_t number) {
  return fmt::format("{}/{}{:019}", fieldId, kNumberMark, number);
}

Task<std::vector<EmbeddingRow>> rowsBehind(store::DocumentStore& store, store::ProjectNo project, std::string fieldId,
                                           std::string seq, uint64_t limit) {
  CO_TRY(store::Query query, queryOf(project, fieldId, seq, 1, limit));
  CO_TRY(const store::QueryResult found, co_await store.find(std::move(query)));
  co_return store::fromStore<EmbeddingRow>(found.documents);
}

Task<int64_t> highestNumber(store::DocumentStore& store, store::ProjectNo project, std::string fieldId) {
  CO_TRY(store::Query query, queryOf(project, fieldId, "", -1, 1));
  CO_TRY(const store::QueryResult found, co_await store.find(std::move(query)));
  if (found.documents.empty()) co_return 0;
  std::string_view seq = found.documents.front().view().stringOr("seq");
  seq.remove_prefix(std::min(seq.size(), fieldId.size() + 1));
  int64_t number = 0;
  if (seq.starts_with(kNumberMark)) std::from_chars(seq.data() + 1, seq.data() + seq.size(), number);
  co_return number;
}

}  // namespace mb::vectors
