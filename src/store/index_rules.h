// What an index may be, on each engine.
#pragma once

#include "document/path.h"
#include "store/store.h"

namespace mb::store {

// The paths of the keys. Fails with validation for an index that no engine keeps, and with invalidFilter for its
// filter.
Result<std::vector<doc::FieldPath>> checkIndex(const IndexSpec& spec);

// The BSON of an index in a catalogue: {number, ready, name, keys: [{path, direction}], unique, sparse, partialFilter?,
// expireAfterSeconds?, covering?, include?}. Appends the fields.
void appendIndexInfo(doc::BsonWriter& out, const IndexInfo& index);
IndexInfo decodeIndexInfo(doc::DocumentView view);
// Appends an array of strings; nothing without any.
void appendPaths(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& paths);
std::vector<std::string> pathsOf(doc::DocumentView view, std::string_view key);

}  // namespace mb::store
