// The schema that all sampled documents fulfil.
#pragma once

#include "introspection/path_list.h"

namespace mb::introspection {

// A field is required only where this many documents were sampled and all have it.
inline constexpr size_t kMinSampleForRequired = 50;

// A JSON Schema with types, required fields and x-bson, without other limits: types are those that were seen, and a
// path whose values no type describes has none. It leaves out the fields of the server, names that are data, and what
// `paths` does not hold.
doc::Document inferredSchema(const SampledFields& fields, const PathList& paths);

}  // namespace mb::introspection
