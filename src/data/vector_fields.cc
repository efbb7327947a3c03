#include "data/vector_fields.h"

#include <cmath>
#include <functional>

namespace mb::data {

namespace {

// Calls `each` with every field of the vector config that `config` (CollectionInfo::config) holds: {id, config}.
void eachField(doc::DocumentView config, const std::function<void(doc::DocumentView, doc::DocumentView)>& each) {
  const auto vectors = config.find("vectors");
  if (!vectors || vectors->type() != doc::BsonType::document) return;
  const auto fields = vectors->asDocument().find("fields");
  if (!fields || fields->type() != doc::BsonType::array) return;
  for (const doc::Element& field : fields->asDocument()) {
    if (field.value.type() != doc::BsonType::document) continue;
    const auto inner = field.value.asDocument().find("config");
    if (inner && inner->type() == doc::BsonType::document) each(field.value.asDocument(), inner->asDocument());
  }
}

// Checks one field. `config`: {name, dimensions, mode, …}.
void checkField(doc::DocumentView config, const doc::Document* before, doc::DocumentView after,
                std::vector<ErrorDetail>& problems) {
  const std::string name(config.stringOr("name"));
  const auto given = after.find(name);
  if (!given || given->type() == doc::BsonType::null) return;
  const auto held = before ? before->view().find(name) : std::nullopt;
  if (held && held->type() == given->type() && held->raw() == given->raw()) return;
  if (config.stringOr("mode") == "auto") {
    problems.push_back({"/" + name, "must not be set: the server creates it from the document's text"});
    return;
  }
  const auto dimensions = config.find("dimensions");
  const int64_t expected = dimensions ? dimensions->toInteger().value_or(0) : 0;
  const auto numbers = vectorOf(*given, static_cast<size_t>(expected));
  if (!numbers) problems.push_back({"/" + name, numbers.error()});
}

}  // namespace

std::expected<std::vector<float>, std::string> vectorOf(doc::ValueView value, size_t dimensions) {
  if (value.type() != doc::BsonType::array) return std::unexpected("must be an array of numbers");
  std::vector<float> numbers;
  numbers.reserve(dimensions);
  for (const doc::Element& each : value.asDocument()) {
    if (!each.value.isNumber() || each.value.type() == doc::BsonType::decimal) {
      return std::unexpected("must hold numbers only");
    }
    if (numbers.size() == dimensions) {
      return std::unexpected(fmt::format("must hold {} numbers, not more", dimensions));
    }
    const auto number = static_cast<float>(each.value.toReal());
    if (!std::isfinite(number)) return std::unexpected("must hold numbers within the range of 32-bit floats");
    numbers.push_back(number);
  }
  if (numbers.size() != dimensions) {
    return std::unexpected(fmt::format("must hold {} numbers, not {}", dimensions, numbers.size()));
  }
  return numbers;
}

std::vector<ErrorDetail> vectorProblems(const store::CollectionInfo& collection, const doc::Document* before,
                                        doc::DocumentView after) {
  std::vector<ErrorDetail> problems;
  eachField(collection.config,
            [&](doc::DocumentView, doc::DocumentView config) { checkField(config, before, after, problems); });
  return problems;
}

std::vector<ManualVectorField> manualVectorFields(doc::DocumentView config) {
  std::vector<ManualVectorField> manual;
  eachField(config, [&](doc::DocumentView field, doc::DocumentView inner) {
    if (inner.stringOr("mode") == "auto") return;
    manual.push_back({std::string(field.stringOr("id")), std::string(inner.stringOr("name"))});
  });
  return manual;
}

}  // namespace mb::data
