// Converts JSON text to BSON and back without an intermediate tree (parsing: simdjson on-demand).
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "document/field_set.h"

namespace mb::doc {

enum class ExtendedJson {
  accept,  // {"$date": …}, {"$oid": …}, {"$numberDecimal": …}, {"$binary": …}, {"$numberLong|Int|Double": …} become
           // their type
  refuse,  // a body of the control or admin plane: such objects stay objects
};

struct JsonLimits {
  size_t maxDepth = 100;
  ExtendedJson extended = ExtendedJson::accept;
};

// A JSON object as a document. Integers that fit 32 bits become int32, 64 bits int64, larger ones double; -0 and
// numbers with a fraction or exponent become double. Fails with invalidJson: syntax, invalid UTF-8, depth, a duplicate
// key, a key with NUL, a number beyond double, malformed extended JSON, or a root that is not an object.
Result<Document> parseJson(std::string_view text, const JsonLimits& limits = {});
// Any JSON value, in a document under the key "".
Result<Document> parseJsonValue(std::string_view text, const JsonLimits& limits = {});

// Appends `view` as JSON. Dates, object ids, decimals and binary (base64) are strings; int64 are plain digits; doubles
// are the shortest text that reads back the same (integral ones without fraction or exponent, as JavaScript prints
// them). Fields in `hidden` are omitted.
void writeJson(std::string& out, DocumentView view, const FieldSet* hidden = nullptr);
void writeJsonValue(std::string& out, ValueView value);
void writeJsonString(std::string& out, std::string_view text);
std::string toJson(DocumentView view);

}  // namespace mb::doc
