#include "document/field_tree.h"

#include <algorithm>

#include "base/work_budget.h"

namespace mb::doc {
namespace {

constexpr size_t kFewChildren = 16;

// Most lookups miss, and most missing keys differ in length from all children.
const FieldTree::Node* childOf(const FieldTree::Node& node, std::string_view key) {
  if (node.children.size() > kFewChildren) {
    const auto found = node.byName.find(node.children, key);
    return found == node.children.end() ? nullptr : &found->second;
  }
  for (const auto& [name, child] : node.children) {
    if (name.size() == key.size() && name == key) return &child;
  }
  return nullptr;
}

}  // namespace

FieldTree::FieldTree(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    Node* node = &root_;
    for (std::string_view rest = path; !node->covered;) {
      const size_t dot = rest.find('.');
      node = &node->children[std::string(rest.substr(0, dot))];
      if (dot == std::string_view::npos) {
        node->covered = true;
        node->children.clear();
        break;
      }
      rest.remove_prefix(dot + 1);
    }
  }
  indexChildren(root_);
}

void FieldTree::indexChildren(Node& node) {
  node.byName.build(node.children);
  for (auto& [name, child] : node.children) indexChildren(child);
}

void FieldTree::add(Level& level, const Node* node) {
  WorkBudget::charge(static_cast<int64_t>(level.size()));
  if (std::ranges::find(level, node) == level.end()) level.push_back(node);
}

bool FieldTree::enter(const Level& level, std::string_view key, Level& next) {
  next.clear();
  for (const Node* node : level) {
    const Node* child = childOf(*node, key);
    if (!child) continue;
    if (child->covered) return true;
    add(next, child);
  }
  return false;
}

bool FieldTree::enterElement(const Level& level, std::string_view position, Level& next) {
  if (enter(level, position, next)) return true;
  for (const Node* node : level) add(next, node);
  return false;
}

}  // namespace mb::doc
