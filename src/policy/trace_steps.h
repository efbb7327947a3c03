// The steps that evaluators add to a trace. Nothing here decides, except traceDocument(), which evaluates a filter as
// Filter::matches() does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/filter.h"
#include "policy/placeholder.h"
#include "policy/trace.h"

namespace mb::policy {

class Rule;

inline constexpr size_t kMaxTracedPaths = 100;            // of each list of a step
inline constexpr size_t kMaxTracedValueBytes = 16 << 10;  // larger values are `{"$bytes": n}`

// "permission"; `by`: the permission of the caller that grants it, null for none.
void tracePermission(Trace& trace, std::string_view needed, const std::string* by);

// "rule"; null: the operation has no rule.
void traceRule(Trace& trace, std::string_view source, const Rule* rule);

// "placeholders", where the rule has some or names sets, and "filter", where it has one. `filled`: nullopt where a
// placeholder of the filter has no value.
void traceFilter(Trace& trace, const std::vector<Placeholder>& placeholders, const std::vector<std::string>& sets,
                 const Subject& subject, const std::optional<doc::Filter>& filled);

// "placeholders" of a caller whose sets have too many values to be used.
void traceUnusableSet(Trace& trace, std::string_view set);

// "document": the conditions of the filter that must all hold, with their outcomes. Returns what filter.matches() does;
// false without a document. `found`: whether the document exists.
bool traceDocument(Trace& trace, const doc::Filter& filter, std::optional<doc::DocumentView> document, bool found);

// The paths by which a request breaches rules on fields; each list holds at most kMaxTracedPaths.
struct Breaches {
  std::vector<std::string> denied;
  std::vector<std::string> immutable;
  std::vector<std::string> allowedWrite;
};
// "fields".
void traceFields(Trace& trace, bool passed, const Breaches& breaches);

// "schema".
void traceSchema(Trace& trace, const std::vector<ErrorDetail>& problems);
void traceSchema(Trace& trace, const Error& error);

}  // namespace mb::policy
