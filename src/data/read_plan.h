// A ReadPlan says which documents a read may return. Every read begins with it.
#pragma once

#include "data/documents.h"
#include "data/grant.h"

namespace mb::data {

struct ReadPlan {
  Grant grant;
  doc::Filter filter;  // the rule's AND the caller's
};

// REQUIRES: the grant has its sets. Fails with invalidFilter, and with forbidden for a filter that names a denied
// field.
Result<ReadPlan> planRead(Grant grant, const ReadQuery& query);

// Fails with forbidden for a denied field among the keys: an order reveals the values of its keys.
Result<> refuseDeniedKeys(const std::vector<store::SortKey>& sort, const doc::FieldSet& denied);

// Fails with notFound if the plan does not allow the document (nullopt: it does not exist), with queryTooCostly.
Result<> checkVisible(const ReadPlan& plan, const std::optional<doc::Document>& found);

}  // namespace mb::data
