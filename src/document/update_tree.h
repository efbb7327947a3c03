// An update as a tree of steps with one action at each leaf, and its single pass over a document: fields that no path
// touches are copied unchanged, in runs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "document/child_index.h"
#include "document/filter.h"
#include "document/update.h"

namespace mb::doc {

// The inputs shared by the actions of one apply().
struct ApplyContext {
  DocumentView before;
  Timestamp now;
  bool inserting = false;
  std::vector<std::optional<ValueView>> renamed;  // the value of each $rename's source before the update
  const Filter* query = nullptr;
  const ArrayFilters* arrayFilters = nullptr;
};

// The field that an action changes.
struct Target {
  const std::string& path;  // as in the update
  std::string_view key;
  int depth;  // 1 for a top-level field
  bool throughArray;
};

// One operator on one path.
class UpdateAction {
 public:
  virtual ~UpdateAction() = default;
  // An inactive action has no effect.
  virtual bool isActive(const ApplyContext&) const { return true; }
  // Whether it creates an absent field (and the documents around it).
  virtual bool createsField() const { return true; }
  // Whether a path that ends at a scalar is skipped instead of refused.
  virtual bool skipsBlockedPath() const { return false; }
  // Writes the new field, or nothing to remove it.
  virtual Result<> apply(const ApplyContext& context, const Target& target, std::optional<ValueView> current,
                         BsonWriter& out) const = 0;
};

// Numbers by value, before names by bytes: the order of new fields.
struct StepLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

struct UpdateNode;

// "$[]", "$[name]" or "$".
struct ArrayStep {
  enum class Kind { all, filtered, matched } kind;
  std::string name;
  std::unique_ptr<UpdateNode> node;
};

struct UpdateNode {
  using Children = std::map<std::string, std::unique_ptr<UpdateNode>, StepLess>;

  std::string path;
  std::unique_ptr<UpdateAction> action;
  Children children;
  ChildIndex<Children> byName;  // of children, once numbered
  // Either one "$", which may be combined with children, or any of the others, which may not.
  std::vector<ArrayStep> arraySteps;
  size_t position = 0;  // among the parent's children, once numbered

  bool isUnused() const { return !action && children.empty() && arraySteps.empty(); }
};

// Adds `action` at the end of `steps`. Fails with invalidUpdate if two paths conflict.
Result<> insertAction(UpdateNode& root, const std::vector<std::string>& steps, std::unique_ptr<UpdateAction> action);
// Call it after the last insertion.
void numberChildren(UpdateNode& node);
// Whether two trees change a common value.
bool overlap(const UpdateNode& a, const UpdateNode& b);
Result<Document> applyTree(const UpdateNode& root, const ApplyContext& context);

// The element of `array` (at the path `steps` of the document) through which the query found the document.
std::optional<size_t> matchedPosition(const Filter& query, const std::string& path, DocumentView array);
// Whether `name` is valid in `$[name]`: a small letter, then letters and digits.
bool isFilterName(std::string_view name);
// Whether an array filter, whose paths begin with its name, selects the element.
bool takesElement(const Filter& filter, std::string_view name, ValueView element);

std::unexpected<Error> refuseUpdate(std::string message);

}  // namespace mb::doc
