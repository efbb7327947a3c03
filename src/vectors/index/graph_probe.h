// Checks the invariants of a graph while no write runs, for tests.
#pragma once

#include <set>

#include "vectors/index/graph_walk.h"

namespace mb::vectors {

class GraphProbe {
 public:
  // The first violated invariant; empty if all hold.
  static std::string problem(const VectorIndex& index) {
    const Graph& graph = *index.graph_;
    const std::lock_guard lock(graph.writer_);
    size_t linked = 0;
    size_t live = 0;
    for (Slot slot = 0; slot < graph.slots_.count(); ++slot) {
      const Node& node = graph.slots_.node(slot);
      if (!node.linked) continue;
      ++linked;
      live += !graph.isRemoved(slot);
      if (std::string wrong = problemOf(graph, slot); !wrong.empty()) return wrong;
    }
    if (linked != graph.linked_ || live != graph.live_) return "the counts are wrong";
    return "";
  }
  // Number of live vectors that a walk from the entry or the root can reach on the lowest level.
  static size_t reachable(const VectorIndex& index) {
    const Graph& graph = *index.graph_;
    const std::lock_guard lock(graph.writer_);
    std::set<Slot> met;
    std::vector<Slot> waiting;
    for (const Slot slot : {graph.entry_.load(), graph.root_.load()}) {
      if (slot != kNoSlot) waiting.push_back(slot);
    }
    while (!waiting.empty()) {
      const Slot slot = waiting.back();
      waiting.pop_back();
      if (!met.insert(slot).second) continue;
      for (const Slot other : Graph::read(graph.listOf(slot, 0))) waiting.push_back(other);
    }
    return static_cast<size_t>(std::ranges::count_if(met, [&](Slot slot) { return !graph.isRemoved(slot); }));
  }
  // Removed vectors that are still walked through.
  static size_t stillThere(const VectorIndex& index) { return index.graph_->linked_ - index.graph_->live_; }
  static size_t slots(const VectorIndex& index) { return index.graph_->slots_.count(); }

 private:
  static std::string problemOf(const Graph& graph, Slot slot) {
    for (int level = 0; level <= graph.slots_.node(slot).level; ++level) {
      const Graph::List list = graph.listOf(slot, level);
      const std::vector<Slot> others = Graph::read(list);
      for (size_t i = others.size(); i < list.capacity; ++i) {
        if (list.links[i] != kNoSlot) return fmt::format("slot {} has something behind the end of a list", slot);
      }
      if (std::set(others.begin(), others.end()).size() != others.size())
        return fmt::format("slot {} has one twice", slot);
      for (const Slot other : others) {
        const Node& node = graph.slots_.node(other);
        if (other == slot || !node.linked || node.level < level) return fmt::format("slot {} names {}", slot, other);
      }
    }
    return "";
  }
};

}  // namespace mb::vectors
