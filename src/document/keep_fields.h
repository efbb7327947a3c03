// The counterpart of FieldSet::strip: what of a document a set of paths names.
#pragma once

#include "document/field_set.h"

namespace mb::doc {

// The covered fields, with the objects and arrays around them; elements of arrays that hold none of them are left out.
Document keepFields(DocumentView view, const FieldSet& fields);

}  // namespace mb::doc
