// Checks of a configuration document as a whole, independent of the content of its sections. Private to configuration/.
#pragma once

#include <functional>

#include "configuration/problems.h"
#include "document/bson.h"

namespace mb::configuration {

// Maximum number of entries of a section; each kind has its own, lower limit.
inline constexpr size_t kMaxEntries = 5000;

// Checks the format, keys and types of the sections, and that the document has no secrets. `known` returns whether this
// server has a section; others must be empty. Returns false, with a problem, where the document or a section is too
// wide for a walk on the core.
bool checkDocument(doc::DocumentView document, const std::function<bool(std::string_view section)>& known,
                   Problems& problems);

}  // namespace mb::configuration
