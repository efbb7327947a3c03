#include "document/field_set.h"

#include <algorithm>

#include "base/work_budget.h"
#include "document/field_tree.h"
#include "document/traverse.h"

namespace mb::doc {

namespace {

using Level = FieldTree::Level;

// Calls `step` for each step of a dotted path until it returns true; whether it did.
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

// Numeric steps of the set may be positions, which a path need not name: "a.b" reaches what "a.0.b" does.
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

// Units of a WorkBudget. What is left out is skipped, so that its size costs nothing.
constexpr int64_t kUnitsPerField = 15;
constexpr size_t kBytesPerUnit = 8;

constexpr size_t kUsualBytes = 1024;  // of a document

// Fields that stay and follow each other are copied at once.
void stripInto(BsonWriter& out, DocumentView view, const Level& level, bool isArray) {
  Level below;
  size_t index = 0;
  int64_t walked = 0;
  const char* uncopied = view.bytes().data() + sizeof(int32_t);
  const auto copyUntil = [&](const char* end) {
    out.appendElements({uncopied, static_cast<size_t>(end - uncopied)});
    uncopied = end;
  };
  for (const Element& element : view) {
    ++walked;
    const bool covered =
        isArray ? FieldTree::enterElement(level, element.key, below) : FieldTree::enter(level, element.key, below);
    const bool whole = below.empty() || !element.value.isContainer();
    const std::string_view key = isArray ? arrayKey(index) : element.key;
    if (!covered) ++index;
    if (!covered && whole && key == element.key) continue;
    copyUntil(element.key.data() - 1);
    uncopied = element.value.raw().data() + element.value.raw().size();
    if (covered) continue;
    if (whole) {
      out.append(key, element.value);
      continue;
    }
    const bool inArray = element.value.type() == BsonType::array;
    inArray ? out.beginArray(key) : out.beginDocument(key);
    stripInto(out, element.value.asDocument(), below, inArray);
    out.end();
  }
  copyUntil(view.bytes().data() + view.bytes().size() - 1);
  WorkBudget::charge(walked * kUnitsPerField);
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
  if (empty()) return Document(view);
  // Not the size of the whole: what is left may be little, and counts as no more than that.
  BsonWriter out(std::min(view.bytes().size(), kUsualBytes));
  stripInto(out, view, tree_->top(), false);
  WorkBudget::charge(static_cast<int64_t>(out.size() / kBytesPerUnit));
  return out.finish();
}

FieldSet FieldSet::unite(const FieldSet& other) const {
  if (other.empty()) return *this;
  if (empty()) return other;
  std::vector<std::string> all = paths_;
  all.insert(all.end(), other.paths_.begin(), other.paths_.end());
  return FieldSet(std::move(all));
}

}  // namespace mb::doc
