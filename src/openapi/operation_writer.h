// Writes one operation as an Operation Object of OpenAPI.
#pragma once

#include <map>

#include "openapi/shape_schemas.h"

namespace mb::openapi {

// Error responses that operations refer to, by name: each is written once, in the components.
using Failures = std::map<std::string, std::vector<ErrorCode>>;

doc::Document operationObject(const Operation& operation, const ShapeSchemas& shapes, const Components& components,
                              Failures& failures);

// The Response Object of errors with the same status.
doc::Document failureObject(const std::vector<ErrorCode>& codes);

// The tag of one collection's operations; no other tag has this name.
std::string collectionTag(std::string_view collection);

// The operation on one collection: its name instead of the path parameter, its schemas instead of the general ones, and
// examples generated from them.
doc::Document operationOf(const std::string& collection, const Operation& operation, doc::DocumentView general,
                          const Components& components);

}  // namespace mb::openapi
