// A ReadPlan says which documents a read may return. Every read begins with it.
#pragma once

#include "data/documents.h"
#include "data/grant.h"

namespace mb::data {

struct ReadPlan {
  Grant grant;
  doc::Filter filter;  // the rule's AND the caller's
};

// Fails as grantFor does, with invalidFilter, and with forbidden for a filter that names a denied field.
Result<ReadPlan> planRead(const Access& access, snapshot::SlotKey<CollectionTable> slot, std::string_view collection,
                          policy::Operation operation, const ReadQuery& query);

}  // namespace mb::data
