#include "introspection/path_list.h"

#include <algorithm>
#include <cmath>

namespace mb::introspection {

double shareOf(size_t part, size_t whole) {
  if (part == 0 || whole == 0) return 0;
  if (part == whole) return 1;
  const double rounded = std::round(static_cast<double>(part) * 100 / static_cast<double>(whole)) / 100;
  return std::clamp(rounded, 0.01, 0.99);
}

PathList::PathList(const SampledFields& fields) : root_(fields.root()) {
  std::vector<const PathNode*> level{&root_};
  while (!level.empty()) {
    std::vector<const PathNode*> next;
    const auto show = [&](const PathNode* node) {
      if (shown_.size() == kMaxPaths) {
        wasCut_ = true;
        return;
      }
      shown_.insert(node);
      next.push_back(node);
    };
    for (const PathNode* node : level) {
      for (const auto& [name, child] : node->children) show(child.get());
      if (node->items) show(node->items.get());
    }
    level = std::move(next);
  }
}

void PathList::add(const PathNode& node, const std::string& path, std::vector<FieldReport>& out) const {
  if (!holds(node)) return;
  doc::BsonWriter types;
  for (size_t i = 0; i < kFieldTypes; ++i) {
    const size_t documents = node.documentsOfType[i];
    if (documents > 0) {
      types.appendReal(fieldTypeName(static_cast<FieldType>(i)), shareOf(documents, node.documents));
    }
  }
  out.push_back({path, types.finish(), shareOf(node.documents, root_.documents)});
  for (const auto& [name, child] : node.children) add(*child, path + "." + name, out);
  if (node.items) add(*node.items, path + "[]", out);
}

std::vector<FieldReport> PathList::fields() const {
  std::vector<FieldReport> out;
  for (const auto& [name, child] : root_.children) add(*child, name, out);
  return out;
}

}  // namespace mb::introspection
