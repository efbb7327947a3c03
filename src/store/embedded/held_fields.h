// Fields that entries of an index hold besides their keys, so that conditions on them are decided without the document.
// A value is held as the document has it: where the path runs into an array, or into a value that is no object, that is
// held whole, so that a filter finds the same in what is held as in the document.
#pragma once

#include "store/embedded/schema.h"

namespace mb::store::embedded {

// What entries hold of one document: BSON of at most so many bytes, and so many in all entries of the document
// together. Of a document with more than that its entries hold nothing.
inline constexpr size_t kMaxHeld = 1024;
inline constexpr size_t kMaxHeldInAll = 16 << 10;

// The paths that the entries of an index hold: its own, and those of `more` that help it. A field that the keys begin
// with is bounded by them; a covering index holds all; and a unique index has room in its entries only where it
// includes fields itself.
Result<std::vector<doc::FieldPath>> heldPaths(const IndexSpec& spec, const std::vector<std::string>& more);

// What an entry of `index` holds of the document, as it is stored: the layout, and BSON; empty where it is too large or
// nothing is to be held. `entries`: of the document.
std::string heldOf(const Index& index, doc::DocumentView document, size_t entries);
// The fields in what heldOf() gave, where it is of the index's layout.
std::optional<doc::DocumentView> heldFields(const Index& index, std::string_view held);

// Whether what is held decides the condition.
bool isDecidedBy(const std::vector<doc::FieldPath>& held, const doc::FilterNode& condition);

}  // namespace mb::store::embedded
