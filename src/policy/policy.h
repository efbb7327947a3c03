// A Policy holds the rules of a collection: parsed, checked and compiled at save; evaluated for each read and write
// (docs/policies.md, "Policies").
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/field_set.h"
#include "document/filter.h"
#include "document/schema.h"
#include "policy/rule_names.h"
#include "policy/set_condition.h"
#include "policy/subject.h"
#include "policy/trace.h"

namespace mb::policy {

enum class Operation { read, list, create, update, remove, admin };
std::string_view operationName(Operation op);  // "read", …, "delete"

// A refusal by a rule, or for want of one. For members its message names the rule ("update", "public/read"); for other
// callers it is `message` alone.
Error refusedBy(std::string_view rule, const Caller& caller, std::string message = "denied by policy");
Error refusedWithoutRule(Operation operation, const Caller& caller);

// One rule, compiled.
class Rule {
 public:
  virtual ~Rule() = default;
  virtual const std::string& name() const = 0;  // "read", "public/read"
  // The filter with the caller's values instead of the placeholders. Fails with forbidden if one cannot be resolved, is
  // empty, or is not a scalar or array of scalars. For a rule without a filter, returns one that matches everything.
  virtual Result<doc::Filter> filterFor(const Subject& subject, const doc::FilterCoercion& coercion,
                                        Trace* trace = nullptr) const = 0;
  virtual bool unrestricted() const = 0;  // no filter
  virtual bool validates() const = 0;     // has an expression
  // The condition over a set, where it is one of those that must all hold and names the only set in the filter; null:
  // the filter has another form.
  virtual const SetCondition* setCondition() const = 0;
  // filterFor() without that condition. REQUIRES: setCondition().
  virtual Result<doc::Filter> filterBesideSet(const Subject& subject, const doc::FilterCoercion& coercion) const = 0;
  // The names of the caller's sets that the rule is evaluated with, ascending.
  virtual const std::vector<std::string>& sets() const = 0;
  virtual doc::DocumentView source() const = 0;  // as saved

  struct Check {
    Subject subject;
    const doc::DocumentView* before;  // null on create
    doc::DocumentView after;
    Timestamp now;
    // Fields that the caller cannot read. A change of one of them counts only for rules on that field itself.
    const doc::FieldSet* hidden = nullptr;
    // `after` lacks fields that are not known yet: an expression that fails is not a refusal, only one that is false.
    bool partial = false;
    Trace* trace = nullptr;
  };
  // Checks immutableFields, allowedWriteFields and `validate` on a create or update, by the change of the document, not
  // by the operators of the request. Fails with forbidden; details name the field.
  virtual Result<> checkWrite(const Check& check) const = 0;
};

// The callers that fields are denied to.
enum class ReaderKind { signedIn, anonymous, unrestricted };
ReaderKind readerKindOf(const Caller& caller);

class Policy {
 public:
  virtual ~Policy() = default;
  // null: there is no rule, and the operation is denied.
  virtual const Rule* rule(Operation op) const = 0;
  // The rule for callers without a token, of read, list and create; null: it does not exist.
  virtual const Rule* publicRule(Operation op) const = 0;
  // The rule that applies to `op` of `caller` in `collection` on the data plane: the admin rule if the caller is an
  // admin of the collection and that rule resolves for it, else the operation's own, else its public one; for a caller
  // without a token only the public one. Fails with forbidden if there is no such rule.
  virtual Result<const Rule*> ruleFor(const Caller& caller, std::string_view collection, Operation op) const = 0;
  // Union of deniedReadFields of the read and list rules that apply to these callers; for anonymous ones the public and
  // the own rules, so it includes those for the others. Unrestricted callers: none.
  virtual const doc::FieldSet& deniedReadFields(ReaderKind reader) const = 0;
  // The names of the sets of all rules, ascending.
  virtual std::vector<std::string> sets() const = 0;
  // The policy as saved.
  virtual const doc::Document& source() const = 0;
};

// Fails with validation, every problem in the details ("/update/validate" with line and column). `schema` may be null.
// `names` are those that exist at a save; the default is for a policy that was stored.
Result<std::shared_ptr<const Policy>> compilePolicy(doc::DocumentView source, const doc::Schema* schema,
                                                    const RuleNames& names = {});

// The rules of a bucket: read, list, create, update and delete, each with a filter and an expression at most, which may
// be in every rule. `names.files` is implied. Fails as compilePolicy() does.
Result<std::shared_ptr<const Policy>> compileFileRules(doc::DocumentView source, const RuleNames& names = {});

// Fails with forbidden if `filter` names a field that `denied` touches.
Result<> refuseDeniedFields(const doc::Filter& filter, const doc::FieldSet& denied, Trace* trace = nullptr);

}  // namespace mb::policy
