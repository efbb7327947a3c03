// MongoDB's order of values: by type class first (minKey, null, numbers, strings, object, array, binary, objectId,
// bool, date, timestamp, regex, maxKey), numbers compared across int32, int64, double and decimal exactly, strings by
// bytes.
#pragma once

#include "document/bson.h"

namespace mb::doc {

// -1, 0 or 1. A total order; NaN sorts below all numbers.
int compareValues(ValueView a, ValueView b);
int compareDocuments(DocumentView a, DocumentView b);
inline bool equalValues(ValueView a, ValueView b) {
  return compareValues(a, b) == 0;
}
// The type class; $gt, $gte, $lt and $lte need both operands in the same one.
int typeClass(BsonType type);

}  // namespace mb::doc
