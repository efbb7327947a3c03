// Converts a filter for storage as source, so that it can be parsed without the collection's schema.
#pragma once

#include "document/filter.h"

namespace mb::data {

// Returns `filter` with its constants converted to the types of `coercion`: RFC 3339 strings to dates, and so on.
// REQUIRES: `filter` parses.
doc::Document coercedFilter(doc::DocumentView filter, const doc::FilterCoercion& coercion);

}  // namespace mb::data
