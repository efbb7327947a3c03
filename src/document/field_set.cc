#include "document/field_set.h"

#include <algorithm>

#include "document/field_tree.h"
#include "document/strip_fields.h"
#include "document/traverse.h"

namespace mb::doc {

namespace {

using Level = FieldTree::Level;

// Calls `step` for each step of a dotted path until it returns true; returns whether it did.
template <class F>
bool anyStep(std::string_view path, F step) {
  while (true) {
    const size_t dot = path.find('.');
    if (step(path.substr(0, dot))) return true;
    if (dot == std::string_view::npos) return false;
    path.remove_prefix(dot + 1);
  }
}

bool isPosition(std::string_view step) {
  return isAllDigits(step) || (!step.empty() && step.front() == '$');
}

// Numeric steps of the set may be positions, which a path may omit: "a.b" reaches everything that "a.0.b" reaches.
bool skipPositions(Level& level) {
  for (size_t i = 0; i < level.size(); ++i) {
    for (const auto& [key, child] : level[i]->children) {
      if (!isAllDigits(key)) continue;
      if (child.covered) return true;
      FieldTree::add(level, &child);
    }
  }
  return false;
}

bool enterStep(Level& level, std::string_view step) {
  Level next;
  const bool covered =
      isPosition(step) ? FieldTree::enterElement(level, step, next) : FieldTree::enter(level, step, next);
  level = std::move(next);
  return covered;
}

}  // namespace

FieldSet::FieldSet(std::vector<std::string> paths) : paths_(std::move(paths)) {
  std::ranges::sort(paths_);
  paths_.erase(std::ranges::unique(paths_).begin(), paths_.end());
  if (!paths_.empty()) tree_ = std::make_shared<const FieldTree>(paths_);
}

bool FieldSet::covers(std::string_view path) const {
  if (empty()) return false;
  Level level = tree_->top();
  return anyStep(path, [&](std::string_view step) { return enterStep(level, step); });
}

bool FieldSet::coversNames(std::string_view path) const {
  if (empty()) return false;
  Level level = tree_->top();
  return anyStep(path, [&](std::string_view step) {
    Level next;
    const bool covered = FieldTree::enter(level, step, next);
    level = std::move(next);
    return covered;
  });
}

bool FieldSet::touches(std::string_view path) const {
  if (empty()) return false;
  Level level = tree_->top();
  const bool covered =
      anyStep(path, [&](std::string_view step) { return enterStep(level, step) || skipPositions(level); });
  return covered || !level.empty();
}

Document FieldSet::strip(DocumentView view) const {
  std::string bytes(view.bytes());
  stripFields(*this, bytes);
  return Document::fromTrusted(std::move(bytes));
}

FieldSet FieldSet::unite(const FieldSet& other) const {
  if (other.empty()) return *this;
  if (empty()) return other;
  std::vector<std::string> all = paths_;
  all.insert(all.end(), other.paths_.begin(), other.paths_.end());
  return FieldSet(std::move(all));
}

}  // namespace mb::doc
