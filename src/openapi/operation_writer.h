// One operation as an Operation Object of OpenAPI.
#pragma once

#include <map>

#include "openapi/shape_schemas.h"

namespace mb::openapi {

// Error answers that operations refer to, by name: each is written once, among the components.
using Failures = std::map<std::string, std::vector<ErrorCode>>;

doc::Document operationObject(const Operation& operation, const ShapeSchemas& shapes, const Components& components,
                              Failures& failures);

// The Response Object of errors that share a status.
doc::Document failureObject(const std::vector<ErrorCode>& codes);

// The group of one collection's operations; no other group is called so.
std::string collectionTag(std::string_view collection);

// The operation on one collection: its name in place of the path parameter, its schemas in place of the general ones,
// and examples by them.
doc::Document operationOf(const std::string& collection, const Operation& operation, doc::DocumentView general,
                          const Components& components);

}  // namespace mb::openapi
