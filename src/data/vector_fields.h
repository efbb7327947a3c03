// What may stand in the fields of a document that hold vectors: a collection's vector config (vectors/, which keeps it
// in CollectionInfo.config) as every write sees it.
#pragma once

#include <expected>
#include <vector>

#include "store/store.h"

namespace mb::data {

// The numbers of `value`, or what is wrong with it: an array of so many numbers, all within the range of 32-bit floats.
std::expected<std::vector<float>, std::string> vectorOf(doc::ValueView value, size_t dimensions);

// All that is wrong with the vectors in `after`, which is about to take the place of `before` (null on insert). A field
// that holds what it held before is let be.
std::vector<ErrorDetail> vectorProblems(const store::CollectionInfo& collection, const doc::Document* before,
                                        doc::DocumentView after);

}  // namespace mb::data
