// A rule's filter: parsed once with its placeholders in place, filled per caller by copying only the nodes that change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/filter.h"
#include "document/schema.h"
#include "policy/caller.h"
#include "policy/placeholder.h"

namespace mb::policy {

class FilterTemplate {
 public:
  FilterTemplate() = default;  // matches everything
  // Adds to `problems`, under `pointer`, whatever is wrong with it, fields that the schema (null: none) rules out too.
  static FilterTemplate compile(doc::DocumentView source, const doc::Schema* schema, const std::string& pointer,
                                std::vector<ErrorDetail>& problems);

  bool matchesAll() const { return filter_.matchesAll(); }
  // Whether each placeholder has a value for the caller.
  bool resolvesFor(const Caller& caller) const;
  // nullopt when one has none. `coercion` sees every constant and every value that came in.
  std::optional<doc::Filter> fill(const Caller& caller, const doc::FilterCoercion& coercion) const;

 private:
  doc::Filter filter_;
  std::vector<Placeholder> placeholders_;
};

// What marks, inside a parsed filter, a placeholder that stands for a whole list. No string of a policy's filter may
// begin with it.
inline constexpr char kListMark = '\x01';

// Copies a filter, with a placeholder in place of a list as a list that holds it, marked; reports placeholders that do
// not exist or stand where no value belongs, and collects the others. Reports fields that the schema rules out.
class PlaceholderScan {
 public:
  PlaceholderScan(const doc::Schema* schema, std::vector<ErrorDetail>& problems, std::vector<Placeholder>& placeholders)
      : schema_(schema), problems_(problems), placeholders_(placeholders) {}
  doc::Document copyConditions(doc::DocumentView source, const std::string& pointer);

 private:
  // Where in the filter something stands, and which path of the document it is about.
  struct Place {
    std::string pointer;
    std::string path;
    Place below(std::string_view key) const;
    Place ofField(std::string_view name) const;
  };
  void conditions(doc::BsonWriter& out, doc::DocumentView source, const Place& place);
  void operators(doc::BsonWriter& out, doc::DocumentView source, const Place& place);
  void listOperand(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Place& place);
  void elementMatch(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Place& place);
  // Where a value belongs.
  void value(doc::BsonWriter& out, std::string_view key, doc::ValueView given, const std::string& pointer);
  // Where none does: copied, but no placeholder may be inside.
  void other(doc::BsonWriter& out, std::string_view key, doc::ValueView given, const std::string& pointer);
  void placeholder(std::string_view text, Placeholder::Takes takes, const std::string& pointer);

  const doc::Schema* schema_;
  std::vector<ErrorDetail>& problems_;
  std::vector<Placeholder>& placeholders_;
};

}  // namespace mb::policy
