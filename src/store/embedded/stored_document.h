// The value of a row of the documents family: a document's BSON, and in user collections its version after it. Every
// reader of such a value splits it here.
#pragma once

#include <string_view>

#include "store/store_types.h"

namespace mb::store::embedded {

// Views of a value.
struct StoredDocument {
  std::string_view bson;
  DocumentVersion version = 0;  // 0: none
};

inline constexpr size_t kVersionBytes = 8;

// A value whose BSON is neither followed by a version nor ends with it is returned whole, for the caller to refuse.
StoredDocument splitStored(std::string_view value);

// The version of a document that is being stored: random, so that it shows nothing of other writes, and never 0. Any
// thread.
DocumentVersion nextVersion();

}  // namespace mb::store::embedded
