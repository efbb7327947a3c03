// JSON Schemas of documents, for the OpenAPI document.
#pragma once

#include "openapi/example.h"

namespace mb::openapi {

struct CollectionFacts {
  std::string name;
  doc::Document schema;             // as the project gave it; empty without one
  std::vector<std::string> hidden;  // denied read fields, dotted
};

// The general schemas, for documents of any collection: "Document", "NewDocument", "DocumentPatch".
inline constexpr std::string_view kDocument = "Document";
inline constexpr std::string_view kNewDocument = "NewDocument";
inline constexpr std::string_view kDocumentPatch = "DocumentPatch";
void addGeneralDocuments(Components& components);

// The same for one collection: "Document.posts", "NewDocument.posts", "DocumentPatch.posts", with the fields of its
// schema. The first omits fields that readers may not see.
void addDocumentsOf(const CollectionFacts& collection, Components& components);

}  // namespace mb::openapi
