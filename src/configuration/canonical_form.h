// The canonical form of configuration: two projects with equal configurations have the same text. The order of an
// index's keys, of a schema's enum and allOf, anyOf and oneOf, and of the fields inside values (default, values in
// filters) is kept; fields of a schema, operations and rules of a policy, and conditions of a filter have a fixed
// order, and lists that are sets (required, type, the field lists of rules) are sorted. For kinds of resources, and for
// the types of a project.
#pragma once

#include <span>

#include "document/bson.h"

namespace mb::configuration {

doc::Document canonicalSchema(doc::DocumentView schema);
doc::Document canonicalPolicy(doc::DocumentView policy);
doc::Document canonicalFilter(doc::DocumentView filter);
// The fields of `object`: first those in `first`, in its order, then the others by name. They live as long as `object`.
std::vector<doc::Element> ordered(doc::DocumentView object, std::span<const std::string_view> first = {});
// Appends an object with its fields ordered(); any other value unchanged.
void appendOrdered(doc::BsonWriter& out, std::string_view key, doc::ValueView value,
                   std::span<const std::string_view> first = {});
// Sorted and without duplicates.
std::vector<std::string> canonicalSet(std::vector<std::string> names);

// `document` with JSON types only: dates, object ids, decimals and binary become the objects that parseJson
// (ExtendedJson::accept) reads, so that the conversion to text and back is lossless.
doc::Document portable(doc::DocumentView document);

// Whether both are the same text once they are portable, or both are absent.
bool sameText(doc::ValueView a, doc::ValueView b);
bool sameText(const std::optional<doc::Document>& a, const std::optional<doc::Document>& b);

}  // namespace mb::configuration
