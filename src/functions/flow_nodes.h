// The statements of each type of node. See docs/functions.md, "Flows".
#pragma once

#include <set>
#include <string>

#include "functions/flow_graph.h"
#include "functions/flow_scope.h"

namespace mb::functions {

// The variables that nodes set. Adds invalid names to `problems`.
std::set<std::string> flowVariables(const FlowGraph& graph, std::vector<ErrorDetail>& problems);

// A NodeWriter compiles nodes. It adds invalid data of a node to the scope's problems; the node's code is then invalid.
class NodeWriter {
 public:
  NodeWriter(const FlowGraph& graph, FlowScope& scope) : graph_(graph), scope_(scope) {}

  // Statements, each ending in a line break, at `indent` levels; "" for a trigger. Not for condition and forEach.
  std::string statements(size_t node, size_t indent);
  // The test of a condition.
  std::string condition(size_t node);
  // The value that a forEach iterates.
  std::string items(size_t node);
  // The variable of a forEach.
  std::string variable(size_t node) const;
  // A comment of one line, without the line break.
  std::string comment(size_t node) const;

  // The functions that hold the code of code nodes ("code1"), and their nodes.
  const std::vector<std::pair<std::string, size_t>>& codes() const { return codes_; }

 private:
  struct Node;
  const FlowGraph& graph_;
  FlowScope& scope_;
  std::vector<std::pair<std::string, size_t>> codes_;
};

}  // namespace mb::functions
