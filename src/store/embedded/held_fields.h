// Fields that index entries hold in addition to their keys, so that conditions on them are evaluated without the
// document. A value is held as in the document; if the path meets an array, or a value that is not an object, that is
// held whole, so that a filter has the same result on the held fields as on the document.
#pragma once

#include "store/embedded/schema.h"

namespace mb::store::embedded {

// The maximum bytes of BSON that an entry holds of one document, and of all entries of the document together. If a
// document exceeds one, its entries hold nothing.
inline constexpr size_t kMaxHeld = 1024;
inline constexpr size_t kMaxHeldInAll = 16 << 10;

// The paths that the entries of an index hold: the index's own, and those of `more` that are useful. Not useful: the
// first field of the keys, which bounds handle; any field in a covering index, which holds all; any in a unique index
// that includes no fields, since the format of its entries has no place for them.
Result<std::vector<doc::FieldPath>> heldPaths(const IndexSpec& spec, const std::vector<std::string>& more);

// What an entry of `index` holds of the document, in stored form: the layout, and BSON; empty if it is too large or the
// index holds no fields. `entries`: the number of entries of the document.
std::string heldOf(const Index& index, doc::DocumentView document, size_t entries);
// The fields in the result of heldOf(), if they have the index's current layout.
std::optional<doc::DocumentView> heldFields(const Index& index, std::string_view held);

// Whether the held fields are enough to evaluate the condition.
bool isDecidedBy(const std::vector<doc::FieldPath>& held, const doc::FilterNode& condition);

}  // namespace mb::store::embedded
