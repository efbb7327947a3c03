#pragma once

#include <string>

#include "document/filter.h"

namespace mb::doc {

// `given`, which stands at `path`, with every value inside that `coercion` (may be null) knows better replaced.
Value coerceDeep(const FilterCoercion* coercion, const std::string& path, ValueView given);

}  // namespace mb::doc
