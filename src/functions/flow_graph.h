// A flow as a graph: parsed, and judged as far as nodes and edges go. Source: decisions 5 ("Flow") and 8.
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
  std::map<std::string, size_t, std::less<>> next;  // by branch; "" of a node that has but one way out

  // Where a way leads; nullopt where it ends there.
  std::optional<size_t> to(std::string_view branch) const {
    const auto found = next.find(branch);
    return found == next.end() ? std::nullopt : std::optional(found->second);
  }
};

// Nodes that run one after another, without those that a forEach among them runs for each item: they are a region of
// their own. Free of cycles.
struct FlowRegion {
  std::optional<size_t> head;         // the forEach whose items it is run for; none of the outermost
  std::optional<size_t> start;        // none: nothing is run
  std::vector<size_t> order;          // its nodes; each before those it leads to
  std::map<size_t, size_t> arrivals;  // how many ways of the region lead to a node
  std::map<size_t, size_t> before;    // of each but the start: the last node that every way to it goes through
};

struct FlowGraph {
  std::vector<FlowNode> nodes;  // as the flow lists them
  size_t trigger = 0;
  FlowRegion outermost;
  std::map<size_t, FlowRegion> loops;  // by their forEach
};

// What a node of this type may have as its data, in the contract's order; none of a type that is not known.
std::span<const std::string_view> dataFields(std::string_view type);

// Fails with validation: everything that is wrong, at "/flow/…", nodes by their id in the message.
Result<FlowGraph> parseFlow(doc::DocumentView flow);

// A flow as it is stored: settled(), its nodes, their data and its edges with their fields in the contract's order, and
// null branches left out; what is no flow otherwise as it is. Fails with validation at "/flow" for what settled() does
// not take.
Result<doc::Document> canonicalFlow(doc::DocumentView flow);

// "node \"x\" …"
std::string aboutNode(const FlowNode& node, std::string_view message);

}  // namespace mb::functions
