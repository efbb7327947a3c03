// A Checker resolves the names of a tree and checks its types.
#pragma once

#include <string>
#include <vector>

#include "policy/cel/ast.h"
#include "policy/cel/cel.h"
#include "policy/cel/functions.h"
#include "policy/cel/types.h"

namespace mb::cel {

class Checker {
 public:
  Checker(Program& program, const Environment& environment, std::vector<Problem>& problems)
      : program_(program), environment_(environment), problems_(problems) {}
  // Returns the type of the expression as text. The tree may be evaluated if no problem was reported.
  std::string check();

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  const Type* check(Node& node);
  const Type* identifier(Node& node);
  const Type* select(Node& node);
  const Type* field(const Node& node, const Type& object, std::string_view name);
  const Type* call(Node& node);
  const Type* match(Node& node, const std::vector<const Type*>& arguments);
  const Type* logical(Node& node);
  const Type* conditional(Node& node);
  const Type* list(Node& node);
  const Type* map(Node& node);
  const Type* comprehension(Node& node);
  void predicate(Node& node, std::string_view function);
  const Type* itemType(const Node& node, const Type& range);

  const Type* problem(Position at, std::string message);
  bool isDeclared(const Node& root) const;

  Program& program_;
  const Environment& environment_;
  std::vector<Problem>& problems_;
  TypePool pool_;
  std::vector<const Type*> variables_;
  std::vector<Local> locals_;
};

}  // namespace mb::cel
