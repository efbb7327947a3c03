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
  // What each of them holds of the document: held_fields.h.
  std::string held;
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

// A covering index holds documents up to this size, and of one that has more entries than that none at all: what is
// left out is read where documents stand.
inline constexpr size_t kMaxCovered = 4096;
inline constexpr size_t kMaxCoveredEntries = 8;

// The value at the key of one of `entries`, as keys.h has it; in a covering index it ends with the document. Gives
// `buffer`, replaced whole.
std::string_view entryValue(const Index& index, const EntrySet& entries, size_t which, doc::DocumentView document,
                            std::string_view id, std::string& buffer);
// An entry's parts; an empty id for a damaged one.
struct EntryParts {
  std::string_view id;
  std::string_view document;  // empty: not there
  std::string_view held;      // for heldFields()
};
EntryParts entryParts(const Index& index, std::string_view key, std::string_view value);
// The value of an entry of an index whose entries are being rewritten, but for what it holds.
std::string_view withoutHeld(const Index& index, std::string_view value);

}  // namespace mb::store::embedded
