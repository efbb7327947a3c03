// A FilterTemplate is a rule's filter: parsed once with its placeholders, filled per caller by copying only the nodes
// that change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/filter.h"
#include "document/schema.h"
#include "policy/placeholder.h"
#include "policy/rule_names.h"
#include "policy/set_condition.h"

namespace mb::policy {

class FilterTemplate {
 public:
  FilterTemplate() = default;  // matches everything
  // Adds all problems of the filter to `problems`, under `pointer`, also fields that the schema (null: none) excludes.
  static FilterTemplate compile(doc::DocumentView source, const doc::Schema* schema, const RuleNames& names,
                                const std::string& pointer, std::vector<ErrorDetail>& problems);

  bool matchesAll() const { return filter_.matchesAll(); }
  // Whether each placeholder has a value for the caller; one for a set counts as if it had.
  bool resolvesFor(const Caller& caller) const;
  // nullopt if a placeholder has no value. `coercion` is applied to every constant and every filled value.
  std::optional<doc::Filter> fill(const Subject& subject, const doc::FilterCoercion& coercion) const;
  const std::vector<Placeholder>& placeholders() const { return placeholders_; }

  // The condition over a set, where it is one of those that must all hold, and names the only set in the filter; null:
  // the filter has another form.
  const SetCondition* setCondition() const { return setCondition_ ? &*setCondition_ : nullptr; }
  // fill() without that condition. REQUIRES: setCondition().
  std::optional<doc::Filter> fillBesideSet(const Subject& subject, const doc::FilterCoercion& coercion) const;

 private:
  void splitSetCondition();

  doc::Filter filter_;
  std::vector<Placeholder> placeholders_;
  std::optional<SetCondition> setCondition_;
  doc::Filter besideSet_;  // filter_ without setCondition_
};

// Marks a placeholder for a whole list in a parsed filter. No string of a policy's filter may begin with it.
inline constexpr char kListMark = '\x01';

// Copies a filter, replacing a placeholder for a list by a list that holds it, marked. Reports unknown placeholders,
// placeholders in positions where no value is allowed, and fields that the schema excludes. Collects the valid
// placeholders.
class PlaceholderScan {
 public:
  PlaceholderScan(const doc::Schema* schema, const RuleNames& names, std::vector<ErrorDetail>& problems,
                  std::vector<Placeholder>& placeholders)
      : schema_(schema), names_(names), problems_(problems), placeholders_(placeholders) {}
  doc::Document copyConditions(doc::DocumentView source, const std::string& pointer);

 private:
  // A position in the filter, and the path of the document that it applies to.
  struct Position {
    std::string pointer;
    std::string path;
    Position below(std::string_view key) const;
    Position ofField(std::string_view name) const;
  };
  void conditions(doc::BsonWriter& out, doc::DocumentView source, const Position& parent);
  void operators(doc::BsonWriter& out, doc::DocumentView source, const Position& parent);
  void listOperand(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Position& parent);
  void elementMatch(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Position& parent);
  // Copies a value of a condition.
  void value(doc::BsonWriter& out, std::string_view key, doc::ValueView given, const std::string& pointer);
  // Copies another part, which must not hold a placeholder.
  void other(doc::BsonWriter& out, std::string_view key, doc::ValueView given, const std::string& pointer);
  void placeholder(std::string_view text, Placeholder::Takes takes, const std::string& pointer);
  // The message for a placeholder that is not allowed; "" for one that is.
  std::string problemOf(std::string_view text, Placeholder::Takes takes) const;

  const doc::Schema* schema_;
  const RuleNames& names_;
  std::vector<ErrorDetail>& problems_;
  std::vector<Placeholder>& placeholders_;
};

}  // namespace mb::policy
