// A FieldTree is a FieldSet as a tree of steps. A walk over a document keeps the nodes that match its current path:
// several, because a number can be a position in an array or a name.
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
  // The nodes that match a path; empty if no path of the set is there or below.
  using Level = boost::container::small_vector<const Node*, 4>;

  explicit FieldTree(const std::vector<std::string>& paths);
  const Node& root() const { return root_; }
  Level top() const { return {&root_}; }

  // Moves from `level` to the field `key`. True if the set covers it; else sets `next` to the nodes of the field.
  static bool enter(const Level& level, std::string_view key, Level& next);
  // The same for an element of an array, whose position is transparent.
  static bool enterElement(const Level& level, std::string_view position, Level& next);
  static void add(Level& level, const Node* node);

 private:
  static void indexChildren(Node& node);

  Node root_;
};

}  // namespace mb::doc
