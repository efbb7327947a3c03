#include "data/collection_config.h"

#include "document/shape.h"
#include "store/configuration_limits.h"

namespace mb::data {

CollectionConfig CollectionConfig::read(doc::DocumentView stored) {
  CollectionConfig config;
  for (const auto& [key, value] : stored) {
    if (key == "schema" && value.type() == doc::BsonType::document) {
      config.schema.emplace(value.asDocument());
    } else if (key == "policy" && value.type() == doc::BsonType::document) {
      config.policy.emplace(value.asDocument());
    } else if (key == "vectors" && value.type() == doc::BsonType::document) {
      config.vectors.emplace(value.asDocument());
    } else if (key == "policyTests" && value.type() == doc::BsonType::array) {
      for (const doc::Element& each : value.asDocument()) config.policyTests.emplace_back(each.value.asDocument());
    } else if (key == "source" && value.type() == doc::BsonType::string) {
      config.source = value.asString();
    } else if (key == "missing" && value.type() == doc::BsonType::boolean) {
      config.isMissing = value.asBool();
    } else if (key == store::kReferencesField && value.type() == doc::BsonType::array) {
      for (const doc::Element& each : value.asDocument()) {
        const doc::DocumentView reference = each.value.asDocument();
        const auto number = reference.find("number");
        config.references.push_back({std::string(reference.stringOr("name")),
                                     static_cast<store::CollectionNo>(number ? number->toInteger().value_or(0) : 0)});
      }
    }
  }
  return config;
}

doc::Document CollectionConfig::write() const {
  doc::BsonWriter out;
  if (schema) out.appendDocument("schema", *schema);
  if (policy) out.appendDocument("policy", *policy);
  if (vectors) out.appendDocument("vectors", *vectors);
  if (!policyTests.empty()) doc::encodeValue(out, "policyTests", policyTests);
  if (!source.empty()) out.appendString("source", source);
  if (isMissing) out.appendBool("missing", true);
  if (!references.empty()) {
    out.beginArray(store::kReferencesField);
    for (size_t i = 0; i < references.size(); ++i) {
      out.beginDocument(doc::arrayKey(i));
      out.appendString("name", references[i].name);
      out.appendInteger("number", references[i].number);
      out.end();
    }
    out.end();
  }
  return out.finish();
}

bool CollectionConfig::bind(std::string_view name, store::CollectionNo number) {
  for (BoundReference& each : references) {
    if (each.name != name) continue;
    const bool changed = each.number != number;
    each.number = number;
    return changed;
  }
  references.push_back({std::string(name), number});
  return true;
}

const BoundReference* CollectionConfig::binding(std::string_view name) const {
  for (const BoundReference& each : references) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace mb::data
