// The Common Expression Language (github.com/google/cel-spec): parsed and type-checked at save, evaluated with a cost
// limit.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"
#include "document/schema.h"

namespace mb::cel {

// A position and a message; line and column start at 1.
struct Problem {
  int line = 1;
  int column = 1;
  std::string message;
};

// The name of an entry of a map that an expression reads, with its position.
struct EntryName {
  int line = 1;
  int column = 1;
  std::string name;
};

// A named value; borrows its members.
struct Variable {
  std::string_view name;
  doc::DocumentView value;               // an object
  std::optional<doc::ValueView> scalar;  // instead of `value`
  std::optional<Timestamp> timestamp;    // instead of both
};

// The names that an expression may use, with their types.
struct Environment {
  struct Declaration {
    std::string name;
    // "map", "string", "timestamp", "dyn", or "object" with a schema that names its fields. A "?" at the end allows
    // null too.
    std::string type = "dyn";
    const doc::Schema* schema = nullptr;
    // For type "object" without a schema: the only fields it has (auth: uid, role, pid, token).
    std::vector<std::pair<std::string, std::string>> fields;
  };
  std::vector<Declaration> declarations;
};

struct Evaluation {
  enum class Kind {
    yes,
    no,
    error
  } kind = Kind::error;  // error: an error, a result that is not a bool, or over the cost limit
  std::string message;   // for the log
};

// The fields that an expression selects from an object: a.b.x, has(a.b.x) and a.b["x"].
struct Selection {
  std::vector<std::string> names;  // ascending, distinct
  bool whole = false;              // the object is used in another way too
};

class Expression {
 public:
  // Fails with validation: the first problem in the message, all in the details as "line:column".
  static Result<std::shared_ptr<const Expression>> compile(std::string_view source, const Environment& environment);
  virtual ~Expression() = default;
  virtual std::string_view source() const = 0;
  // The type by the checker: "bool", "int", "list(string)", …; "dyn" if it is known only at run time.
  virtual std::string_view resultType() const = 0;
  // Whether the expression contains the variable: others need no value.
  virtual bool uses(std::string_view variable) const = 0;
  // The fields selected from the object in `field` of the variable.
  virtual Selection selectedFrom(std::string_view variable, std::string_view field) const = 0;
  // The entries of `variable`.`field` that the expression names, in the order of the source: `auth.token.plan`,
  // `has(auth.token.plan)`, `auth.token["plan"]`, `"plan" in auth.token`.
  virtual std::vector<EntryName> entriesOf(std::string_view variable, std::string_view field) const = 0;
  // Evaluates a bool expression with at most `costLimit` steps. Any thread.
  virtual Evaluation test(std::span<const Variable> variables, int costLimit = 10'000) const = 0;
  // The value of any expression as BSON under the key "" (tests, flows); fails with validation.
  virtual Result<doc::Document> evaluate(std::span<const Variable> variables, int costLimit = 10'000) const = 0;
  // Appends an array of {text, value} or {text, error} for the operands of the outermost operator, at most 100: three
  // for a && b && c, none for a call or a selection. Each is evaluated, also where test() would not get to it.
  virtual void writeParts(doc::BsonWriter& out, std::string_view key, std::span<const Variable> variables) const = 0;
};

}  // namespace mb::cel
