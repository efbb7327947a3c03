// A Parser converts tokens to a tree, by precedence; macros become nodes of their own.
#pragma once

#include <vector>

#include "policy/cel/ast.h"
#include "policy/cel/lexer.h"

namespace mb::cel {

class Parser {
 public:
  // Parses program.source; `program` owns nodes and literals. Stops at the first problem.
  Parser(Program& program, std::vector<Problem>& problems)
      : program_(program), problems_(problems), lexer_(program.source, program.texts, problems) {}
  // Sets program.root; false if a problem was reported.
  bool parse();

 private:
  // Each returns null once a problem was reported.
  Node* expression();
  Node* conditional();
  Node* logical(bool isOr);
  Node* binary(int precedence);
  Node* unary();
  Node* member();
  Node* memberStep(Node* receiver);
  Node* primary();
  Node* name();
  Node* listLiteral();
  Node* mapLiteral();
  Node* messageLiteral(Node* type);
  Node* literal(bool negative);

  // Parses expressions up to and including `close`.
  bool arguments(std::vector<Node*>& out, std::string_view close);
  Node* call(Position at, std::string_view function, Node* receiver, std::vector<Node*> arguments);
  // The node of a macro, or null if this call is not a macro (or `failed_`).
  Node* macro(Position at, std::string_view function, Node* receiver, std::vector<Node*>& arguments);

  Node* node(NodeKind kind, Position at, std::vector<Node*> children = {});
  // Sets the text of an operand: from `begin` to the last token that was read. `operand` may be null.
  Node* operand(Node* operand, uint32_t begin);
  Node* problem(Position at, std::string message);
  Node* unexpected();
  bool eat(std::string_view symbol);
  bool expect(std::string_view symbol);
  void advance();

  Program& program_;
  std::vector<Problem>& problems_;
  Lexer lexer_;
  Token token_;
  uint32_t end_ = 0;  // of the token before token_
  int nesting_ = 0;
  bool failed_ = false;
};

// "a.b.c" of selects over an identifier; empty if `node` is anything else. `rooted` is set for a leading dot.
std::string qualifiedName(const Node& node, bool& rooted);

}  // namespace mb::cel
