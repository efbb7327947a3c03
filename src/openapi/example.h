// Generates examples from JSON Schemas.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::openapi {

// Schemas by name, as "#/components/schemas/<name>" refers to them.
using Components = std::map<std::string, doc::Document, std::less<>>;
inline constexpr std::string_view kSchemaRef = "#/components/schemas/";

// A value that matches the schema, from its `examples`, `default`, `const`, `enum`, types and bounds; nullopt if they
// are not sufficient (a pattern without an example).
std::optional<doc::Value> exampleOf(doc::DocumentView schema, const Components& components);

}  // namespace mb::openapi
