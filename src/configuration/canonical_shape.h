// What is shape and what is only order: two projects of one shape are written alike, however they came to be. The order
// of an index's keys, of a schema's enum and allOf, anyOf and oneOf, and of the fields inside values (default, what a
// filter compares with) is kept; fields of a schema, operations and rules of a policy, conditions of a filter stand in
// a fixed order, and lists that are sets (required, type, the field lists of rules) are sorted. For kinds of
// resources.
#pragma once

#include <span>

#include "document/bson.h"

namespace mb::configuration {

doc::Document canonicalSchema(doc::DocumentView schema);
doc::Document canonicalPolicy(doc::DocumentView policy);
doc::Document canonicalFilter(doc::DocumentView filter);
// The fields of `object`: first those that `first` names, in its order, then the others by name. They live as long as
// it.
std::vector<doc::Element> ordered(doc::DocumentView object, std::span<const std::string_view> first = {});
// An object with its fields ordered(); anything else as it is.
void appendOrdered(doc::BsonWriter& out, std::string_view key, doc::ValueView value,
                   std::span<const std::string_view> first = {});
// Sorted, each once.
std::vector<std::string> canonicalSet(std::vector<std::string> names);

// `document` in the types of JSON alone: dates, object ids, decimals and binary as the objects by which parseJson
// (ExtendedJson::accept) knows them again, so that nothing is lost on the way through text.
doc::Document portable(doc::DocumentView document);

// Whether both are the same text once they are portable; or neither is there.
bool sameText(doc::ValueView a, doc::ValueView b);
bool sameText(const std::optional<doc::Document>& a, const std::optional<doc::Document>& b);

}  // namespace mb::configuration
