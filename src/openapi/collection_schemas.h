// What a project's own description says of its collections.
#pragma once

#include "openapi/example.h"

namespace mb::openapi {

struct CollectionFacts {
  std::string name;
  doc::Document schema;             // as the project gave it; empty without one
  std::vector<std::string> hidden;  // denied read fields, dotted
};

// The schemas of documents of no collection in particular: "Document", "NewDocument", "DocumentPatch".
inline constexpr std::string_view kDocument = "Document";
inline constexpr std::string_view kNewDocument = "NewDocument";
inline constexpr std::string_view kDocumentPatch = "DocumentPatch";
void addGeneralDocuments(Components& components);

// The same for one collection: "Document.posts", "NewDocument.posts", "DocumentPatch.posts". With the fields of its
// schema; fields that readers may not see are left out of the first.
void addDocumentsOf(const CollectionFacts& collection, Components& components);

}  // namespace mb::openapi
