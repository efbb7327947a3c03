#pragma once

#include <string>

#include "document/filter.h"

namespace mb::doc {

// `given`, the value at `path`, with every value in it replaced by its coerced one. `coercion` may be null.
Value coerceDeep(const FilterCoercion* coercion, const std::string& path, ValueView given);

}  // namespace mb::doc
