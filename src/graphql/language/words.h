// Converts filters, orders and bodies of the schema to those of documents. Pure.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"
#include "graphql/language/schema.h"
#include "store/store.h"

namespace mb::graphql {

// Converts a coerced PostsFilter to a filter of documents. `shape` is the collection's type. Fails with invalidFilter.
Result<doc::Document> filterOf(const Type& shape, const Type& filter, doc::DocumentView given);

// Converts an order: {createdAt: -1}, a list of such objects, or "-createdAt,title". Fails with invalidParam: another
// form, more than 8 fields, an invalid path.
Result<std::vector<store::SortKey>> orderOf(const Type& shape, doc::ValueView given);

// Converts a coerced PostsInput or PostsPatch to the body of a write. Fails with validation: a field set under both of
// its names, `data` that is not an object.
Result<doc::Document> bodyOf(const Type& input, doc::DocumentView given);

}  // namespace mb::graphql
