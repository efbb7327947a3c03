// A CallerSet is a named list of strings that belong to a caller, read from a collection: "the teams of which the
// caller is a member". Rules name it as "$auth.sets.<name>" in filters and auth.sets.<name> in expressions
// (docs/policies.md, "Sets").
#pragma once

#include <string>
#include <string_view>

#include "document/schema.h"
#include "policy/filter_template.h"

namespace mb::policy {

// Fails with validation: a name is ^[a-z][A-Za-z0-9]{0,31}$.
Result<> checkSetName(std::string_view name);

class CallerSet {
 public:
  // `where` holds equalities and $in of literals, among them exactly one equality with $auth.uid; `value` is the path
  // of a string or an array of strings. Adds all problems, under "/where" and "/value"; also paths that the schema of
  // the set's collection (null: none) excludes.
  static CallerSet compile(doc::DocumentView where, std::string_view value, const doc::Schema* schema,
                           std::vector<ErrorDetail>& problems);

  // The path that equals the id of the caller; an index begins with it.
  const std::string& callerPath() const { return callerPath_; }
  const doc::FieldPath& valuePath() const { return valuePath_; }
  // The filter of the caller's documents; nullopt for a caller without an id.
  std::optional<doc::Filter> filterFor(const Caller& caller, const doc::FilterCoercion& coercion) const {
    return filter_.fill(caller, coercion);
  }

 private:
  std::string callerPath_;
  doc::FieldPath valuePath_;
  FilterTemplate filter_;
};

}  // namespace mb::policy
