// Values that come in: literals and variables, checked against types and made into BSON. Source: October 2021
// specification, 3.5, 3.10, 5.6 and 6.1.2.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "document/bson.h"
#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

// A value as it stands in a document, for messages.
std::string printed(const Value& value);

// What is wrong with a literal of a leaf type; nullopt when nothing is. Not for lists, objects and variables of types
// that know them.
std::optional<std::string> leafProblem(const Value& value, const Type& type);

// The type that a variable is declared with; null where there is none of the name. Wrappers go into `types`.
const Type* declaredType(const Schema& schema, Types& types, const TypeNode& node);

// The variables of one request, coerced: a document by name. Those that were not given and have no default are absent.
using Variables = doc::Document;

// Fails with every problem. `given` is what the request brought, {} without any.
std::expected<Variables, Problems> coerceVariables(const Schema& schema, const Operation& operation,
                                                   doc::DocumentView given);

// Appends a valid literal as BSON; false where it is a variable that was not given (nothing is appended).
bool appendLiteral(doc::BsonWriter& out, std::string_view key, const Value& value, const Type& type,
                   doc::DocumentView variables);

// The arguments of a field: a document by name, absent ones absent. Fails where one that may not be null is.
Parsed<doc::Document> coerceArguments(const std::vector<InputValue>& declared, const std::vector<Argument>& given,
                                      doc::DocumentView variables, uint32_t at);

}  // namespace mb::graphql
