// A filter that is to be kept as its source, for those who read it later without the collection's schema.
#pragma once

#include "document/filter.h"

namespace mb::data {

// `filter`, which parses, with its constants in the types that `coercion` gives them: dates for RFC 3339 strings, and
// so on.
doc::Document coercedFilter(doc::DocumentView filter, const doc::FilterCoercion& coercion);

}  // namespace mb::data
