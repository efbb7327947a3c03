// Input values: literals and variables, validated against types and converted to BSON (October 2021 specification, 3.5,
// 3.10, 5.6 and 6.1.2).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "document/bson.h"
#include "graphql/language/ast.h"
#include "graphql/language/problem.h"
#include "graphql/language/schema.h"

namespace mb::graphql {

// A value as GraphQL text, for messages.
std::string printed(const Value& value);

// The problem of a literal of a leaf type; nullopt if it is valid. Not for lists, objects and variables of types that
// have them.
std::optional<std::string> leafProblem(const Value& value, const Type& type);

// The declared type of a variable; null if no type has the name. Adds wrappers to `types`.
const Type* declaredType(const Schema& schema, Types& types, const TypeNode& node);

// The coerced variables of one request, by name. Those without a value and a default are absent.
using Variables = doc::Document;

// Fails with all problems. `given`: the variables of the request, {} without any.
std::expected<Variables, Problems> coerceVariables(const Schema& schema, const Operation& operation,
                                                   doc::DocumentView given);

// Appends a valid literal as BSON; false if it is a variable without a value (then nothing is appended).
bool appendLiteral(doc::BsonWriter& out, std::string_view key, const Value& value, const Type& type,
                   doc::DocumentView variables);

// The arguments of a field by name, without absent ones. Fails if one is null that must not be.
Parsed<doc::Document> coerceArguments(const std::vector<InputValue>& declared, const std::vector<Argument>& given,
                                      doc::DocumentView variables, uint32_t at);

}  // namespace mb::graphql
