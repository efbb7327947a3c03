// One schema as a TypeScript type. Private to typescript.
#pragma once

#include <string>

#include "document/bson.h"

namespace mb::cli {

enum class TypeUse {
  read,    // as the server answers
  create,  // as a client sends it to make a document: what has a default may be left out
};

// The fields of the schema of a document, a line each with what is said about them before it; the server's own (id,
// createdAt, updatedAt, ownerId) are left out. The schema must compile (document/schema.h).
void appendFields(std::string& out, doc::DocumentView schema, TypeUse use);
// As it stands in an interface: quoted where it is no identifier.
std::string propertyName(std::string_view name);

}  // namespace mb::cli
