// The index entries of a document: one for each distinct value of its fields, null for a missing one, a special key for
// an empty array. Arrays are indexed by element. Several fields that run through one array (`lines.sku` and
// `lines.count`) have an entry for each of its elements; fields in two different arrays are refused.
#pragma once

#include "store/document_limits.h"
#include "store/embedded/schema.h"

namespace mb::store::embedded {

// Keys of one index, sorted and distinct, concatenated.
struct EntrySet {
  struct Entry {
    uint32_t at = 0;
    uint32_t size = 0;
    uint16_t idAt = 0;  // the offset of the id in the key; the key's end in a unique index
  };
  std::string bytes;
  std::vector<Entry> entries;
  // The fields that each entry holds: held_fields.h.
  std::string held;
  // Bits for IndexTraits.
  uint32_t multikey = 0;
  uint32_t truncated = 0;

  std::string_view key(size_t i) const { return std::string_view(bytes).substr(entries[i].at, entries[i].size); }
  void clear();
};

// Sets `out` to the entries of `document`; none if the index is sparse or partial and excludes it. Fails with
// validation: two arrays in a compound index, or more than kMaxEntries.
Result<> collectEntries(const Index& index, ProjectNo project, doc::DocumentView document, std::string_view id,
                        EntrySet& out);

// The largest document that a covering index holds, and the most entries of such a document; beyond either the document
// is read from its own family.
inline constexpr size_t kMaxCovered = 4096;
inline constexpr size_t kMaxCoveredEntries = 8;

// The value of entry `which`, in the format of keys.h; in a covering index it ends with the document. Overwrites
// `buffer` and returns it.
std::string_view entryValue(const Index& index, const EntrySet& entries, size_t which, doc::DocumentView document,
                            std::string_view id, std::string& buffer);
// The parts of an entry; an empty id for a corrupt one.
struct EntryParts {
  std::string_view id;
  std::string_view document;  // empty: not in the entry
  std::string_view held;      // for heldFields()
};
EntryParts entryParts(const Index& index, std::string_view key, std::string_view value);
// The value of an entry without its held fields, for an index whose entries are being rewritten.
std::string_view withoutHeld(const Index& index, std::string_view value);

}  // namespace mb::store::embedded
