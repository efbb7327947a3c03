// From the words of the schema to those of documents: filters, orders, bodies. Pure.
#pragma once

#include <string>
#include <vector>

#include "document/bson.h"
#include "graphql/language/schema.h"
#include "store/store.h"

namespace mb::graphql {

// A coerced PostsFilter as a filter of documents. `shape` is the collection's type. Fails with invalidFilter.
Result<doc::Document> filterOf(const Type& shape, const Type& filter, doc::DocumentView given);

// {createdAt: -1}, a list of such, or "-createdAt,title". Fails with invalidParam: other shapes, more than 8 fields, a
// path that cannot be one.
Result<std::vector<store::SortKey>> orderOf(const Type& shape, doc::ValueView given);

// A coerced PostsInput or PostsPatch as the body of a write. Fails with validation: a field given under both of its
// names, `data` that is no object.
Result<doc::Document> bodyOf(const Type& input, doc::DocumentView given);

}  // namespace mb::graphql
