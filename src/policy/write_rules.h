// WriteRules are the requirements of a rule on a write: immutable fields, allowed fields, and an expression that must
// be true.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/field_set.h"
#include "document/schema.h"
#include "policy/cel/cel.h"
#include "policy/policy.h"
#include "policy/rule_names.h"

namespace mb::policy {

class WriteRules {
 public:
  // Each parses its key's value and adds its problems to `problems`, under `pointer`. `schema` may be null.
  void setImmutable(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                    std::vector<ErrorDetail>& problems);
  void setAllowed(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                  std::vector<ErrorDetail>& problems);
  void setExpression(doc::ValueView value, Operation operation, const doc::Schema* schema, const RuleNames& names,
                     const std::string& pointer, std::vector<ErrorDetail>& problems);

  bool hasExpression() const { return expression_ != nullptr; }
  // Fails with forbidden; details name the field.
  Result<> check(const Rule::Check& check) const;
  // The names of the sets that the expression uses.
  const std::vector<std::string>& sets() const { return sets_; }

 private:
  // The reasons to refuse a change.
  enum class Refused { breaches, breachesAndTooMany };
  Result<> checkFields(const Rule::Check& check) const;
  Result<> checkFields(doc::DocumentView before, doc::DocumentView after, bool creating, Refused refused) const;
  void traceFields(const Rule::Check& check, bool passed) const;
  Result<> checkExpression(const Rule::Check& check) const;

  doc::FieldSet immutable_;
  std::optional<doc::FieldSet> allowed_;
  std::shared_ptr<const cel::Expression> expression_;
  bool usesAuth_ = false;  // whether the expression names `auth`
  bool files_ = false;     // RuleNames::files
  std::vector<std::string> sets_;
};

// Parses a list of dotted paths. Adds a problem if it is not one, or names a field that the schema excludes.
doc::FieldSet parseFieldList(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                             std::vector<ErrorDetail>& problems);
// Adds a problem if a document that matches the schema (null: any) cannot have a field at `path`.
void checkDeclared(const doc::Schema* schema, std::string_view path, const std::string& pointer,
                   std::vector<ErrorDetail>& problems);
// The same for the condition of a filter of such rules, which may be about files.
void checkDeclared(const doc::Schema* schema, const RuleNames& names, std::string_view path, const std::string& pointer,
                   std::vector<ErrorDetail>& problems);

}  // namespace mb::policy
