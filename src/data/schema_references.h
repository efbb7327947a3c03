// The names of collections in a schema (x-ref in either form), also in nested schemas.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::data {

// The name by which x-ref means the project's end users. No collection has it.
inline constexpr std::string_view kEndUsers = "users";

struct SchemaReference {
  std::string path;  // a JSON pointer into the schema
  std::string collection;
};
std::vector<SchemaReference> schemaReferences(doc::DocumentView schema);
// Fails with validation, one detail for each x-ref to a collection for which `exists` returns false. Not called for end
// users (`users`): every project has them.
Result<> checkReferences(doc::DocumentView schema, const std::function<bool(const std::string& collection)>& exists);
// Each name once, sorted.
std::vector<std::string> referencedCollections(doc::DocumentView schema);
// The schema with every x-ref renamed. `rename` returns the new name of an old one, or "" to remove the x-ref.
doc::Document renameReferences(doc::DocumentView schema, const std::function<std::string(std::string_view)>& rename);

}  // namespace mb::data
