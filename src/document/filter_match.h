#pragma once

#include "document/filter.h"

namespace mb::doc {

// Whether a document satisfies a condition. No allocation.
bool matchesDocument(const FilterNode& node, DocumentView document);
// Whether a value satisfies a condition without a path: on the elements of $elemMatch.
bool matchesElement(const FilterNode& node, ValueView value);

}  // namespace mb::doc
