// The check of a schema that is to be saved.
#pragma once

#include "document/schema.h"

namespace mb::data {

// Fails with validation, also for what only stored schemas may have: a long time to compile, and conversions of the
// fields of the server. Takes as long as its patterns.
Result<std::shared_ptr<const doc::Schema>> compileNewSchema(doc::DocumentView schema);

}  // namespace mb::data
