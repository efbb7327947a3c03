#include "configuration/document_check.h"

#include <fmt/format.h>

#include "configuration/sections.h"

namespace mb::configuration {

namespace {

using doc::BsonType;
using doc::ValueView;

bool isSecret(std::string_view key) {
  return key == "clientSecret" || key == "secretEnc";
}

// Whether the keys of the value are names of fields, which may have any name: in a collection's schema, policy, tests
// and indexes, and a function's flow and tests.
bool holdsFieldNames(std::string_view pointer, std::string_view key) {
  const std::string_view section = pointer.substr(0, pointer.rfind('/'));
  if (section == "/collections") {
    return key == "schema" || key == "policy" || key == "policyTests" || key == "indexes";
  }
  return section == "/functions" && (key == "flow" || key == "tests");
}

bool isCollectionSchema(std::string_view pointer, std::string_view key) {
  return key == "schema" && pointer.substr(0, pointer.rfind('/')) == "/collections";
}

// Schema keywords that hold values, which are stored unchanged.
bool holdsValues(std::string_view keyword) {
  return keyword == "default" || keyword == "const" || keyword == "enum" || keyword == "examples";
}

// Schema keywords whose keys are names of fields, not keywords.
bool holdsNamedSchemas(std::string_view keyword) {
  return keyword == "properties" || keyword == "patternProperties" || keyword == "$defs" || keyword == "definitions";
}

void refuseSecrets(doc::DocumentView within, const std::string& pointer, Problems& problems);

// A field may have the name of a secret; the values in a schema must not hold one. `named`: the keys of `within` are
// names of fields.
void refuseSecretsInSchema(doc::DocumentView within, const std::string& pointer, bool named, Problems& problems) {
  for (const auto& [key, value] : within) {
    if (!value.isContainer()) continue;
    const std::string at = fmt::format("{}/{}", pointer, key);
    if (!named && holdsValues(key)) {
      refuseSecrets(value.asDocument(), at, problems);
    } else {
      refuseSecretsInSchema(value.asDocument(), at, !named && holdsNamedSchemas(key), problems);
    }
  }
}

void refuseSecrets(doc::DocumentView within, const std::string& pointer, Problems& problems) {
  for (const auto& [key, value] : within) {
    const bool secret = isSecret(key);
    if (!secret && (!value.isContainer() || holdsFieldNames(pointer, key))) {
      if (value.isContainer() && isCollectionSchema(pointer, key)) {
        refuseSecretsInSchema(value.asDocument(), fmt::format("{}/{}", pointer, key), false, problems);
      }
      continue;
    }
    const std::string at = fmt::format("{}/{}", pointer, key);
    if (secret) problems.add(at, "secrets are never imported: enter them where they are used");
    if (value.isContainer()) refuseSecrets(value.asDocument(), at, problems);
  }
}

void checkHead(doc::DocumentView document, Problems& problems) {
  const auto version = document.find("formatVersion");
  if (!version || !version->isNumber() || version->toInteger() != kFormatVersion) {
    problems.add("/formatVersion", fmt::format("must be {}, the format that this server reads", kFormatVersion));
  }
  for (const std::string_view key : {"exportedAt", "serverVersion"}) {
    const auto value = document.find(key);
    if (value && value->type() != BsonType::string) problems.add(fmt::format("/{}", key), "must be a string");
  }
  const auto project = document.find("project");
  if (!project) return;
  if (project->type() != BsonType::document) return problems.add("/project", "must be an object");
  for (const auto& [key, value] : project->asDocument()) {
    if (key != "name") {
      problems.add(fmt::format("/project/{}", key), "is not a known field");
    } else if (value.type() != BsonType::string) {
      problems.add("/project/name", "must be a string");
    }
  }
}

bool isHead(std::string_view key) {
  return key == "formatVersion" || key == "exportedAt" || key == "serverVersion" || key == "project";
}

void checkSection(std::string_view key, ValueView value, bool known, Problems& problems) {
  const std::string pointer = fmt::format("/{}", key);
  const Section* section = sectionNamed(key);
  if (!section) return problems.add(pointer, "is not a known field");
  const bool array = !section->key.empty();
  if (value.type() != (array ? BsonType::array : BsonType::document)) {
    return problems.add(pointer, array ? "must be an array" : "must be an object");
  }
  const size_t count = value.asDocument().count();
  if (!known && count > 0) problems.add(pointer, fmt::format("must be empty: this server has no {}", key));
  if (count > kMaxEntries) problems.add(pointer, fmt::format("has more than {} entries", kMaxEntries));
}

}  // namespace

bool checkDocument(doc::DocumentView document, const std::function<bool(std::string_view)>& known, Problems& problems) {
  refuseSecrets(document, "", problems);
  checkHead(document, problems);
  bool isNarrow = true;
  size_t keys = 0;
  for (const auto& [key, value] : document) {
    isNarrow = isNarrow && ++keys <= kMaxEntries;
    if (isHead(key)) continue;
    checkSection(key, value, known(key), problems);
    isNarrow = isNarrow && (!value.isContainer() || value.asDocument().count() <= kMaxEntries);
  }
  return isNarrow;
}

}  // namespace mb::configuration
