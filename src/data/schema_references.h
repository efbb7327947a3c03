// The names of collections inside a schema (x-ref), wherever a schema may stand in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::data {

struct SchemaReference {
  std::string path;  // a JSON pointer into the schema
  std::string collection;
};
std::vector<SchemaReference> schemaReferences(doc::DocumentView schema);
// Fails with validation, one detail for each x-ref to a collection of which `exists` says no. End users (`users`) are
// not asked for: every project has them.
Result<> checkReferences(doc::DocumentView schema, const std::function<bool(const std::string& collection)>& exists);
// Each name once, sorted.
std::vector<std::string> referencedCollections(doc::DocumentView schema);
// The schema with every x-ref renamed. `rename` gives the new name of an old one, or "" to leave the x-ref out.
doc::Document renameReferences(doc::DocumentView schema, const std::function<std::string(std::string_view)>& rename);

}  // namespace mb::data
