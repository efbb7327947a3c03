// Collection policies: parsed, checked and compiled at save; asked on each read and write. Source: contract 2.8,
// decisions 3, 4 and 8.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "document/field_set.h"
#include "document/filter.h"
#include "document/schema.h"
#include "policy/caller.h"

namespace mb::policy {

enum class Operation { read, list, create, update, remove, admin };
std::string_view operationName(Operation op);  // "read", …, "delete"

// One rule, compiled.
class Rule {
 public:
  virtual ~Rule() = default;
  // The filter with the caller's values in place of the placeholders. Fails with forbidden when one cannot be resolved,
  // is empty, or is not a scalar or array of scalars. A rule without a filter gives one that matches everything.
  virtual Result<doc::Filter> filterFor(const Caller& caller, const doc::FilterCoercion& coercion) const = 0;
  virtual bool unrestricted() const = 0;  // no filter

  struct Check {
    const Caller& caller;
    const doc::DocumentView* before;  // null on create
    doc::DocumentView after;
    Timestamp now;
    // Fields that the caller cannot read: whether one of them changed decides nothing but what the rule says of itself.
    const doc::FieldSet* hidden = nullptr;
  };
  // immutableFields, allowedWriteFields and `validate` on a create or update, judged on the change in the document, not
  // on the words of the request. Fails with forbidden; details name the field.
  virtual Result<> checkWrite(const Check& check) const = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  // null: no rule, so denied.
  virtual const Rule* rule(Operation op) const = 0;
  // The rule by which `caller` does `op` in `collection` on the data plane: the admin rule where the caller is an admin
  // of the collection and that rule resolves for them, else the operation's own. Fails with forbidden when there is
  // none.
  virtual Result<const Rule*> ruleFor(const Caller& caller, std::string_view collection, Operation op) const = 0;
  // Union of deniedReadFields of the read and list rules (decisions 8, "Rules' keys").
  virtual const doc::FieldSet& deniedReadFields() const = 0;
  // As it was saved.
  virtual const doc::Document& source() const = 0;
};

// Fails with validation, every problem in the details ("/update/validate" with line and column). `schema` may be null.
Result<std::shared_ptr<const Policy>> compilePolicy(doc::DocumentView source, const doc::Schema* schema);

// Fails with forbidden when `filter` names a field that `denied` touches.
Result<> refuseDeniedFields(const doc::Filter& filter, const doc::FieldSet& denied);

}  // namespace mb::policy
