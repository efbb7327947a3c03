#include "functions/flow_regions.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/contains.h"

namespace mb::functions {

namespace {

constexpr size_t kNoLoop = SIZE_MAX;

class Finder {
 public:
  Finder(FlowGraph& graph, std::vector<ErrorDetail>& problems)
      : graph_(graph), problems_(problems), owner_(graph.nodes.size()), state_(graph.nodes.size(), State::unseen) {}

  void find() {
    graph_.outermost.start = graph_.trigger;
    region(graph_.outermost, kNoLoop);
    if (!problems_.empty()) return;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (state_[i] == State::unseen) problem(i, "is unreachable: no way leads to it from the trigger");
    }
  }

 private:
  enum class State { unseen, open, done };

  void problem(size_t node, std::string_view message) {
    problems_.push_back({fmt::format("/flow/nodes/{}", node), aboutNode(graph_.nodes[node], message)});
  }

  // Whether a branch stays in the node's own region.
  static bool inside(const FlowNode& node, std::string_view branch) {
    return node.type != "forEach" || branch == "done";
  }

  // `loop`: the forEach that the region belongs to, or kNoLoop.
  void region(FlowRegion& region, size_t loop) {
    if (loop != kNoLoop) heads_.push_back(loop);
    if (region.start == loop) region.start.reset();
    if (region.start) visit(region, *region.start, loop);
    std::ranges::reverse(region.order);
    if (problems_.empty()) arrange(region);
    // The regions of the inner loops, each with these enclosing heads.
    for (const size_t node : std::vector<size_t>(region.order)) {
      if (graph_.nodes[node].type != "forEach" || !problems_.empty()) continue;
      FlowRegion inner;
      inner.head = node;
      inner.start = graph_.nodes[node].to("each");
      this->region(inner, node);
      graph_.loops.emplace(node, std::move(inner));
    }
    if (loop != kNoLoop) heads_.pop_back();
  }

  bool isHead(size_t node) const { return contains(heads_, node); }

  void visit(FlowRegion& region, size_t at, size_t loop) {
    if (!problems_.empty()) return;
    if (state_[at] == State::open) {
      return problem(at, "is part of a cycle: only the way back to a forEach may lead back");
    }
    if (state_[at] == State::done) {
      if (owner_[at] != loop) problem(at, "is reached from inside of a forEach and from outside of it");
      return;
    }
    state_[at] = State::open;
    owner_[at] = loop;
    for (const auto& [branch, to] : graph_.nodes[at].next) {
      if (inside(graph_.nodes[at], branch) && !isHead(to)) visit(region, to, loop);
    }
    state_[at] = State::done;
    region.order.push_back(at);
  }

  // Finds the immediate dominators. The region's order is topological, so one pass suffices.
  void arrange(FlowRegion& region) const {
    std::map<size_t, size_t> place;
    for (size_t i = 0; i < region.order.size(); ++i) place[region.order[i]] = i;
    for (const size_t from : region.order) {
      for (const auto& [branch, to] : graph_.nodes[from].next) {
        if (!inside(graph_.nodes[from], branch) || isHead(to)) continue;
        ++region.arrivals[to];
        const auto [known, isFirst] = region.before.emplace(to, from);
        if (isFirst) continue;
        size_t a = known->second;
        size_t b = from;
        while (a != b) {
          size_t& later = place[a] > place[b] ? a : b;
          later = region.before.at(later);
        }
        known->second = a;
      }
    }
  }

  FlowGraph& graph_;
  std::vector<ErrorDetail>& problems_;
  std::vector<size_t> owner_;
  std::vector<State> state_;
  std::vector<size_t> heads_;  // of the enclosing regions, the innermost last
};

}  // namespace

void findRegions(FlowGraph& graph, std::vector<ErrorDetail>& problems) {
  Finder(graph, problems).find();
}

}  // namespace mb::functions
