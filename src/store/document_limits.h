// Sizes of documents and indexes, on each engine.
#pragma once

#include <cstddef>

namespace mb::store {

// Bytes of a document of a user collection, of a record of a system collection, and of an id.
inline constexpr size_t kMaxDocument = 1 << 20;
inline constexpr size_t kMaxRecord = 2 << 20;
inline constexpr size_t kMaxId = 1024;
// Indexes of a collection, and keys of one.
inline constexpr size_t kMaxIndexes = 64;
inline constexpr size_t kMaxIndexFields = 32;
// The entries of an index for one document.
inline constexpr size_t kMaxEntries = 1000;

}  // namespace mb::store
