// What must hold for a configuration document as a whole, whatever its sections hold. Private to configuration/.
#pragma once

#include <functional>

#include "configuration/problems.h"
#include "document/bson.h"

namespace mb::configuration {

// Entries of a section at most; each kind has its own, lower bound.
inline constexpr size_t kMaxEntries = 5000;

// Format, keys, types of the sections, and that no secret is brought along. `known` tells which sections this server
// has; of others there may be no entries. False, with a problem, where the document or a section is too wide for a core
// to walk over.
bool checkDocument(doc::DocumentView document, const std::function<bool(std::string_view section)>& known,
                   Problems& problems);

}  // namespace mb::configuration
