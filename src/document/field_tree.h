// A FieldSet as a tree of steps. Walking a document keeps the nodes that its current place may still lead to: several,
// because a number can be a position in an array or a name.
#pragma once

#include <boost/container/small_vector.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/child_index.h"

namespace mb::doc {

class FieldTree {
 public:
  struct Node {
    using Children = std::map<std::string, Node, std::less<>>;

    bool covered = false;
    Children children;
    ChildIndex<Children> byName;  // of children
  };
  // What a place may still lead to; empty when nothing of the set lies there or below.
  using Level = boost::container::small_vector<const Node*, 4>;

  explicit FieldTree(const std::vector<std::string>& paths);
  const Node& root() const { return root_; }
  Level top() const { return {&root_}; }

  // Goes from `level` to the field `key`. True when the set covers it; else `next` holds what lies below.
  static bool enter(const Level& level, std::string_view key, Level& next);
  // The same for an element of an array, whose position is transparent.
  static bool enterElement(const Level& level, std::string_view position, Level& next);
  static void add(Level& level, const Node* node);

 private:
  static void indexChildren(Node& node);

  Node root_;
};

}  // namespace mb::doc
