// The tree of an expression: built by the parser, resolved and type-checked by the checker, walked by the evaluator.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/cel/cel.h"
#include "policy/cel/value.h"

namespace re2 {
class RE2;
}

namespace mb::cel {

class Run;
struct Node;
// Arguments are never errors; a receiver comes first. `call` has the position for errors.
using Function = Value (*)(Run& run, const Node& call, std::span<const Value> args);

enum class NodeKind : uint8_t {
  constant,
  identifier,  // before the checker: name
  variable,    // slot of Program::variables
  local,       // slot of a comprehension's variable
  select,      // children[0].name
  has,         // has(children[0].name)
  call,        // function, operator or index: name over children (a receiver first)
  logicalAnd,  // of all children
  logicalOr,
  conditional,  // children: condition, then, else
  list,         // of all children
  map,          // children: key, value, key, value, …
  message,      // name{…}
  all,          // comprehensions: children[0] is the range, children[1] the predicate
  exists,
  existsOne,
  filter,
  transform,  // map(): children[1] the transform, or children[1] the predicate and children[2] the transform
};

// The conversion to the number type that the schema declares; a document may hold the number in another type.
enum class Coercion : uint8_t { none, toInt, toReal };

struct Node {
  NodeKind kind = NodeKind::constant;
  Coercion coercion = Coercion::none;
  bool member = false;  // call with a receiver
  bool rooted = false;  // identifier with a leading dot
  uint16_t slot = 0;
  uint16_t height = 1;  // of the tree below, this node included
  Position at;
  Value constant;
  Function function = nullptr;
  std::vector<Node*> children;
  std::string_view name;
  std::string_view text;                    // in the source, of an operand of an operator; empty for other nodes
  std::shared_ptr<const re2::RE2> pattern;  // of matches() with a constant pattern
};

// A Program owns the nodes and everything that they refer to.
struct Program {
  std::string source;
  std::deque<std::string> texts;
  std::deque<Node> nodes;
  Node* root = nullptr;
  std::vector<std::string> variables;
  uint16_t localSlots = 0;
};

// The resolved and type-checked tree of an expression, for callers that translate it. Fails as Expression::compile
// does.
Result<std::unique_ptr<const Program>> checkedProgram(std::string_view source, const Environment& environment);

inline constexpr size_t kMaxSourceBytes = 8 * 1024;
inline constexpr int kMaxNesting = 64;
inline constexpr int kMaxHeight = 250;

}  // namespace mb::cel
