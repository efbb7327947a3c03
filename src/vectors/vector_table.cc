#include "vectors/vector_table.h"

#include "base/crypto.h"
#include "base/log.h"
#include "data/collection_config.h"
#include "store/records.h"

namespace mb::vectors {

namespace {

constexpr size_t kFingerprint = 16;
constexpr size_t kHash = 32;

std::string fingerprintOf(const std::string& model, const FieldConfig& config) {
  doc::BsonWriter out;
  out.appendString("model", model);
  out.appendInteger("dimensions", config.dimensions);
  doc::encodeValue(out, "source", config.source);
  return toHex(sha256(out.finish().bytes())).substr(0, kFingerprint);
}

VectorFieldPtr compiled(StoredField stored, const std::string& model) {
  auto field = std::make_shared<VectorField>();
  field->id = std::move(stored.id);
  field->config = std::move(stored.config);
  if (const auto& source = field->config.source; field->config.mode == "auto" && source) {
    field->automatic = true;
    field->source = SourceText(*source);
    field->fingerprint = fingerprintOf(model, field->config);
  }
  return field;
}

}  // namespace

std::string VectorField::hashOf(std::string_view text) const {
  return toHex(sha256(fmt::format("{}\n{}", fingerprint, text))).substr(0, kHash);
}

VectorFieldPtr CollectionVectors::find(std::string_view field) const {
  for (const VectorFieldPtr& each : fields) {
    if (each->config.name == field) return each;
  }
  return nullptr;
}

VectorConfig CollectionVectors::config() const {
  VectorConfig whole;
  for (const VectorFieldPtr& field : fields) whole.fields.push_back(field->config);
  return whole;
}

CollectionVectorsPtr VectorTable::find(std::string_view collection) const {
  const auto found = byName.find(collection);
  return found == byName.end() ? nullptr : found->second;
}

CollectionVectorsPtr VectorTables::vectorsOf(const store::CollectionInfo& collection) const {
  const data::CollectionConfig config = data::CollectionConfig::read(collection.config);
  if (!config.vectors) return nullptr;
  auto stored = store::fromStore<StoredConfig>(config.vectors->view());
  if (!stored) {
    logError("stored vector config cannot be read; the collection has no vector search",
             {{"collection", collection.name}, {"problem", stored.error().cause()}});
    return nullptr;
  }
  auto vectors = std::make_shared<CollectionVectors>();
  vectors->number = collection.number;
  vectors->version = collection.version;
  vectors->name = collection.name;
  for (StoredField& field : stored->fields) vectors->fields.push_back(compiled(std::move(field), model_));
  return vectors;
}

Task<std::shared_ptr<const void>> VectorTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<store::CollectionInfo> collections, co_await store_.collections(project.number));
  auto table = std::make_shared<VectorTable>();
  for (const store::CollectionInfo& collection : collections) {
    const CollectionVectorsPtr vectors = vectorsOf(collection);
    if (!vectors) continue;
    table->byName.emplace(vectors->name, vectors);
    table->byNumber.emplace(vectors->number, vectors);
    for (const VectorFieldPtr& field : vectors->fields) {
      table->byFieldId.emplace(field->id, VectorTable::Field{vectors, field});
      table->anyAutomatic = table->anyAutomatic || field->automatic;
    }
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::vectors
