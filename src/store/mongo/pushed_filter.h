// What of a filter the server evaluates. Our semantics hold: where the server's differ, the condition is
// left out, so that the server returns more, and the engine evaluates the whole filter on what it returns.
#pragma once

#include "document/filter.h"
#include "store/store_types.h"

namespace mb::store::mongo {

struct PushedFilter {
  doc::Document document;  // on stored documents
  bool exact = true;       // false: the server may return documents that do not match
};

// `more`: conditions on stored documents that are added as they are.
PushedFilter pushFilter(const CollectionRef& collection, const doc::Filter& filter,
                        std::vector<doc::Document> more = {});

}  // namespace mb::store::mongo
