// The counterpart of FieldSet::strip: keeps only the fields of a set.
#pragma once

#include "document/field_set.h"

namespace mb::doc {

// The covered fields, with the objects and arrays around them; array elements without any of them are removed.
Document keepFields(DocumentView view, const FieldSet& fields);

}  // namespace mb::doc
