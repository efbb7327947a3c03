// What a rule asks of a write: fields that may not or may only change, and an expression that must hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/field_set.h"
#include "document/schema.h"
#include "policy/cel/cel.h"
#include "policy/policy.h"

namespace mb::policy {

class WriteRules {
 public:
  // Each reads its key's value and adds to `problems`, under `pointer`, what is wrong with it. `schema` may be null.
  void setImmutable(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                    std::vector<ErrorDetail>& problems);
  void setAllowed(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                  std::vector<ErrorDetail>& problems);
  void setExpression(doc::ValueView value, Operation operation, const doc::Schema* schema, const std::string& pointer,
                     std::vector<ErrorDetail>& problems);

  // Fails with forbidden; details name the field.
  Result<> check(const Rule::Check& check) const;

 private:
  // What a change is refused for.
  enum class Refused { breaches, breachesAndTooMany };
  Result<> checkFields(doc::DocumentView before, doc::DocumentView after, bool creating, Refused refused) const;
  Result<> checkExpression(const Rule::Check& check) const;

  doc::FieldSet immutable_;
  std::optional<doc::FieldSet> allowed_;
  std::shared_ptr<const cel::Expression> expression_;
  bool asksWho_ = false;  // whether the expression names `auth`
};

// A list of dotted paths; what is no such list, or names a field that the schema rules out, is a problem.
doc::FieldSet parseFieldList(doc::ValueView value, const doc::Schema* schema, const std::string& pointer,
                             std::vector<ErrorDetail>& problems);
// Adds a problem when a document that fits the schema (null: any) cannot have a field at `path`.
void checkDeclared(const doc::Schema* schema, std::string_view path, const std::string& pointer,
                   std::vector<ErrorDetail>& problems);

}  // namespace mb::policy
