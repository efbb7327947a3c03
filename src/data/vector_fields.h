// Validates the vector fields of documents in every write, against the collection's vector config (stored by vectors/
// in CollectionInfo.config).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "store/store.h"

namespace mb::data {

// A field in mode manual. Its id is unique: it changes with name, dimensions and mode.
struct ManualVectorField {
  std::string id;
  std::string name;
};
// The fields in mode manual of a collection's vector config. `config`: CollectionInfo::config.
std::vector<ManualVectorField> manualVectorFields(doc::DocumentView config);

// The numbers of `value`, which must be an array of `dimensions` numbers, all within the range of 32-bit floats; or a
// message that says which rule it breaks.
std::expected<std::vector<float>, std::string> vectorOf(doc::ValueView value, size_t dimensions);

// All problems of the vectors in `after`, which is about to replace `before` (null on insert). Unchanged fields are not
// checked.
std::vector<ErrorDetail> vectorProblems(const store::CollectionInfo& collection, const doc::Document* before,
                                        doc::DocumentView after);

}  // namespace mb::data
