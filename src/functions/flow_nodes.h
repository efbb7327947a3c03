// What each kind of node does, as statements. Source: decisions 8 ("Functions").
#pragma once

#include <set>
#include <string>

#include "functions/flow_graph.h"
#include "functions/flow_scope.h"

namespace mb::functions {

// The variables that nodes set. Adds what is wrong with their names to `problems`.
std::set<std::string> flowVariables(const FlowGraph& graph, std::vector<ErrorDetail>& problems);

// Writes nodes; what is wrong with a node's data goes to the scope's problems, and its code then counts for nothing.
class NodeWriter {
 public:
  NodeWriter(const FlowGraph& graph, FlowScope& scope) : graph_(graph), scope_(scope) {}

  // Statements, each ending in a line break, at `indent` levels; "" for a trigger. Not of condition and forEach.
  std::string statements(size_t node, size_t indent);
  // Of a condition what is asked, of a forEach what is gone through.
  std::string condition(size_t node);
  std::string items(size_t node);
  // The variable of a forEach.
  std::string variable(size_t node) const;
  // One line about it, without the line break.
  std::string comment(size_t node) const;

  // Code nodes by the function that holds the code of each: "code1".
  const std::vector<std::pair<std::string, size_t>>& codes() const { return codes_; }

 private:
  struct Node;
  const FlowGraph& graph_;
  FlowScope& scope_;
  std::vector<std::pair<std::string, size_t>> codes_;
};

}  // namespace mb::functions
