// TypeScript types of collections, from their schemas, as documents travel in JSON.
#pragma once

#include "base/error.h"
#include "document/bson.h"

namespace mb::typescript {

// A module of types for the `collections` of a bundle's document: per collection one interface of what is read and one
// of what is created; `Collections`, `NewDocuments` and `References`, which find them and their references by name; and
// `Schema`, which holds these three, the profile of end users and the routes of functions, for the package `manybase`.
// The same text for the same document, in whatever order its parts come. Fails with validation, every schema that
// cannot be used in the details.
Result<std::string> typesOf(doc::DocumentView document);

}  // namespace mb::typescript
