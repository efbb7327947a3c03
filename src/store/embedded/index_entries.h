// What a document puts into an index: one entry for each distinct value of its fields, null for a missing one, a mark
// of its own for an array without values. Arrays are told by their elements. Several fields that run through one array
// (`lines.sku` and `lines.count`) have an entry for each of its elements; through two arrays they cannot.
#pragma once

#include "store/embedded/schema.h"

namespace mb::store::embedded {

inline constexpr size_t kMaxEntries = 1000;

// Keys of one index, sorted and distinct, laid end to end.
struct EntrySet {
  struct Entry {
    uint32_t at = 0;
    uint32_t size = 0;
    uint16_t idAt = 0;  // where the id begins in the key; its end in a unique index
  };
  std::string bytes;
  std::vector<Entry> entries;
  // Bits for IndexTraits.
  uint32_t multikey = 0;
  uint32_t truncated = 0;

  std::string_view key(size_t i) const { return std::string_view(bytes).substr(entries[i].at, entries[i].size); }
  void clear();
};

// Fills `out` with the entries of `document`; none when the index is sparse or partial and leaves it out. Fails with
// validation: two arrays in a compound index, or more than kMaxEntries.
Result<> collectEntries(const Index& index, ProjectNo project, doc::DocumentView document, std::string_view id,
                        EntrySet& out);

}  // namespace mb::store::embedded
