// One schema as a TypeScript type. Private to typescript.
#pragma once

#include <string>

#include "document/bson.h"

namespace mb::typescript {

enum class TypeUse {
  read,    // as the server sends it
  create,  // as a client sends it in a create: fields with a default may be omitted
};

// Appends the fields of a document's schema, one a line after its comment; the server's own (id, createdAt, updatedAt,
// ownerId) are left out. REQUIRES: the schema compiles (document/schema.h).
void appendFields(std::string& out, doc::DocumentView schema, TypeUse use);
// The name in an interface: quoted unless it is an identifier.
std::string propertyName(std::string_view name);

}  // namespace mb::typescript
