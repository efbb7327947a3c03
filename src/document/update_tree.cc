#include "document/update_tree.h"

#include <algorithm>

#include "document/traverse.h"

namespace mb::doc {

namespace {

std::optional<ArrayStep::Kind> arrayStepKind(std::string_view step) {
  if (!step.starts_with('$')) return std::nullopt;
  if (step == "$") return ArrayStep::Kind::matched;
  return step == "$[]" ? ArrayStep::Kind::all : ArrayStep::Kind::filtered;
}

// The child of `node` at `step`, created if needed; null if it conflicts with other children.
UpdateNode* descend(UpdateNode& node, const std::string& step) {
  const std::string path = node.path.empty() ? step : node.path + "." + step;
  const auto kind = arrayStepKind(step);
  if (!kind) {
    if (!node.arraySteps.empty() && node.arraySteps.front().kind != ArrayStep::Kind::matched) return nullptr;
    auto& child = node.children[step];
    if (!child) child = std::make_unique<UpdateNode>();
    child->path = path;
    return child.get();
  }
  const bool isMatched = *kind == ArrayStep::Kind::matched;
  if (!isMatched && !node.children.empty()) return nullptr;
  if (!node.arraySteps.empty() && (node.arraySteps.front().kind == ArrayStep::Kind::matched) != isMatched)
    return nullptr;
  const std::string name = *kind == ArrayStep::Kind::filtered ? step.substr(2, step.size() - 3) : "";
  for (ArrayStep& existing : node.arraySteps) {
    if (existing.kind == *kind && existing.name == name) return existing.node.get();
  }
  ArrayStep& added = node.arraySteps.emplace_back(*kind, name, std::make_unique<UpdateNode>());
  added.node->path = path;
  return added.node.get();
}

// The first path at or below a node.
const std::string& firstPath(const UpdateNode& node) {
  if (!node.children.empty()) return firstPath(*node.children.begin()->second);
  return node.arraySteps.empty() ? node.path : firstPath(*node.arraySteps.front().node);
}

}  // namespace

std::unexpected<Error> refuseUpdate(std::string message) {
  return fail(ErrorCode::invalidUpdate, std::move(message));
}

bool StepLess::operator()(std::string_view a, std::string_view b) const {
  if (isAllDigits(a) != isAllDigits(b)) return isAllDigits(a);
  if (!isAllDigits(a)) return a < b;
  const std::string_view aValue = a.substr(std::min(a.find_first_not_of('0'), a.size()));
  const std::string_view bValue = b.substr(std::min(b.find_first_not_of('0'), b.size()));
  if (aValue.size() != bValue.size()) return aValue.size() < bValue.size();
  return aValue != bValue ? aValue < bValue : a.size() < b.size();
}

Result<> insertAction(UpdateNode& root, const std::vector<std::string>& steps, std::unique_ptr<UpdateAction> action) {
  UpdateNode* node = &root;
  const auto conflict = [&] {
    std::string path;
    for (const std::string& step : steps) path += (path.empty() ? "" : ".") + step;
    return refuseUpdate(
        fmt::format("updating the path \"{}\" would conflict with the one at \"{}\"", path, firstPath(*node)));
  };
  for (const std::string& step : steps) {
    if (node->action) return conflict();
    UpdateNode* next = descend(*node, step);
    if (!next) return conflict();
    node = next;
  }
  if (!node->isUnused()) return conflict();
  node->action = std::move(action);
  return {};
}

void numberChildren(UpdateNode& node) {
  size_t position = 0;
  node.byName.build(node.children);
  for (auto& [key, child] : node.children) {
    child->position = position++;
    numberChildren(*child);
  }
  for (ArrayStep& step : node.arraySteps) numberChildren(*step.node);
}

bool overlap(const UpdateNode& a, const UpdateNode& b) {
  if (a.action || b.action || !a.arraySteps.empty() || !b.arraySteps.empty()) return true;
  return std::ranges::any_of(a.children, [&](const auto& child) {
    const auto other = b.children.find(child.first);
    return other != b.children.end() && overlap(*child.second, *other->second);
  });
}

}  // namespace mb::doc
