// Whether an index can hold a document: the rules of all engines, where the server's would differ.
#pragma once

#include "store/store.h"

namespace mb::store::mongo {

// Fails with validation for two arrays in a compound index, and for more than 1,000 entries.
Result<> checkFits(const IndexSpec& spec, doc::DocumentView document);

}  // namespace mb::store::mongo
