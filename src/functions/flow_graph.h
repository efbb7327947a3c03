// A flow as a graph, with validated nodes and edges. See docs/functions.md, "Flows".
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

inline constexpr size_t kMaxNodes = 100;
inline constexpr size_t kMaxEdges = 200;

struct FlowNode {
  std::string id;
  std::string type;
  doc::Document data;
  std::map<std::string, size_t, std::less<>> next;  // by branch; "" for a node with a single outgoing edge

  // The target of a branch; nullopt if it has no edge.
  std::optional<size_t> to(std::string_view branch) const {
    const auto found = next.find(branch);
    return found == next.end() ? std::nullopt : std::optional(found->second);
  }
};

// Nodes that run one after another. The nodes that a forEach runs for each item are not part of the forEach's region,
// but a region of their own. Free of cycles.
struct FlowRegion {
  std::optional<size_t> head;         // the forEach whose items it runs for; nullopt for the outermost
  std::optional<size_t> start;        // nullopt for an empty region
  std::vector<size_t> order;          // its nodes in topological order
  std::map<size_t, size_t> arrivals;  // number of incoming edges of a node in the region
  std::map<size_t, size_t> before;    // immediate dominator of each node but the start
};

struct FlowGraph {
  std::vector<FlowNode> nodes;  // as the flow lists them
  size_t trigger = 0;
  FlowRegion outermost;
  std::map<size_t, FlowRegion> loops;  // by their forEach
};

// The fields of the data of a node of this type, in the documented order; empty for an unknown type.
std::span<const std::string_view> dataFields(std::string_view type);

// Fails with validation: all problems, at "/flow/…", nodes by their id in the message.
Result<FlowGraph> parseFlow(doc::DocumentView flow);

// The stored form of a flow: jsonForm(), the fields of nodes, data and edges in the documented order, and null branches
// left out. A value that is not a valid flow is otherwise unchanged. Fails with validation at "/flow" if jsonForm()
// fails.
Result<doc::Document> canonicalFlow(doc::DocumentView flow);

// "node \"x\" …"
std::string aboutNode(const FlowNode& node, std::string_view message);

}  // namespace mb::functions
