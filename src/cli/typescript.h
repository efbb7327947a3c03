// TypeScript types of collections, from their schemas, as documents travel in JSON.
#pragma once

#include "base/error.h"
#include "document/bson.h"

namespace mb::cli {

// A module of types for the `collections` of a bundle's document: per collection one interface of what is read and one
// of what is created, and `Collections`, which finds them by name. The same text for the same collections, in whatever
// order they come. Fails with validation, every schema that cannot be used in the details.
Result<std::string> typescriptOf(doc::DocumentView document);

}  // namespace mb::cli
