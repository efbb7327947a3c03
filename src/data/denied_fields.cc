// Rules for writes to documents with fields that the caller cannot read. The response must not depend on the value of
// such a field. So an update may set or unset one as a whole, and append to an array whose elements have one.
// Operations that read or move a denied field, or count the positions of a list that has denied ones, are refused
// whatever the document holds.
#include <algorithm>
#include <array>

#include "base/uncounted_work.h"
#include "data/write.h"
#include "document/field_tree.h"
#include "document/path.h"
#include "document/traverse.h"
#include "policy/trace_steps.h"

namespace mb::data {
namespace {

Error refusal(std::string_view path) {
  return Error(ErrorCode::forbidden, "this update is not allowed on \"" + std::string(path) + "\"");
}

std::string_view parent(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Whether the success of setting `path` depends on the value of a denied field above it.
bool insideDenied(std::string_view path, const doc::FieldSet& denied) {
  const std::string_view above = parent(path);
  return !above.empty() && denied.covers(above);
}

// Whether the denied fields include positions of the list at one of these nodes, or of a list inside it.
bool haveDeniedPositions(doc::FieldTree::Level& level) {
  for (const doc::FieldTree::Node* node : level) {
    for (const auto& [key, child] : node->children) {
      if (doc::isAllDigits(key)) return true;
    }
  }
  return false;
}

// Whether `path` contains a position of a list that has denied positions: the outcome would depend on the number of
// elements, denied ones included.
bool countsDeniedPositions(std::string_view path, const doc::FieldSet& denied) {
  doc::FieldTree::Level level = denied.tree()->top();
  doc::FieldTree::Level next;
  while (true) {
    const size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    const bool position = doc::isAllDigits(step) || step.starts_with('$');
    if (position && haveDeniedPositions(level)) return true;
    const bool covered =
        position ? doc::FieldTree::enterElement(level, step, next) : doc::FieldTree::enter(level, step, next);
    if (covered || dot == std::string_view::npos) return false;
    level = next;
    path.remove_prefix(dot + 1);
  }
}

// Whether the rule refuses a change of `path`: setting it to its current value must be refused as well.
bool mayNotChange(std::string_view path, const Grant& grant) {
  const auto& fields = grant.collection->writeFields(grant.ruleOperation);
  return fields.immutable.touches(path) || (fields.restricted && !fields.allowed.covers(path));
}

// The guards return the path that is refused, or nullopt. It is in the body or in the denied fields.
using RefusedPath = std::optional<std::string_view>;

RefusedPath guardAssignment(std::string_view path, const Grant& grant) {
  const doc::FieldSet& denied = grant.denied();
  if (!denied.touches(path)) return std::nullopt;
  if (insideDenied(path, denied) || countsDeniedPositions(path, denied) || mayNotChange(path, grant)) return path;
  return std::nullopt;
}

// Whether it is a $push that only appends to an array whose elements have denied fields: no element is read or moved.
bool appends(std::string_view name, std::string_view path, doc::ValueView operand, const Grant& grant) {
  if (name != "$push" || grant.denied().covers(path) || mayNotChange(path, grant)) return false;
  const bool modified = operand.type() == doc::BsonType::document && operand.asDocument().find("$each") &&
                        operand.asDocument().count() > 1;
  return !modified && !countsDeniedPositions(std::string(path) + ".$[]", grant.denied());
}

RefusedPath guardOperator(std::string_view name, std::string_view path, doc::ValueView operand, const Grant& grant) {
  const doc::FieldSet& denied = grant.denied();
  const bool onto = name == "$rename" && operand.type() == doc::BsonType::string;
  if (onto && denied.touches(operand.asString())) return operand.asString();
  if (!denied.touches(path)) return std::nullopt;
  constexpr std::array<std::string_view, 4> kAssigning = {"$set", "$setOnInsert", "$unset", "$currentDate"};
  for (const std::string_view assigning : kAssigning) {
    if (name == assigning) return guardAssignment(path, grant);
  }
  if (appends(name, path, operand, grant)) return std::nullopt;
  return path;
}

RefusedPath guardReplacedField(const std::string& path, doc::DocumentView body, const Grant& grant) {
  if (!mayNotChange(path, grant)) return std::nullopt;
  const auto parsed = doc::FieldPath::parse(path);
  if (!parsed) return path;
  const bool named = doc::walkPath(body, *parsed, doc::Leaf::wholeOnly,
                                   [](std::optional<doc::ValueView> value) { return value.has_value(); });
  if (named) return path;
  // Denied values inside elements cannot be kept, and the response must not reveal whether there are any.
  for (std::string_view above = parent(path); !above.empty(); above = parent(above)) {
    const auto value = body.findPath(above);
    if (value && value->type() == doc::BsonType::array) return above;
  }
  return std::nullopt;
}

// The outcome of the guards of a body: the first path that is refused. With a trace all of them are collected.
class Guarded {
 public:
  explicit Guarded(policy::Trace* trace) : trace_(trace) {}

  // Returns whether no more paths matter.
  bool add(RefusedPath path) {
    if (!path) return false;
    if (!trace_) {
      first_ = path;
      return true;
    }
    if (!first_) {
      first_ = path;
      uncounted_.emplace(kCoreWork);
    }
    std::vector<std::string>& denied = breaches_.denied;
    if (std::ranges::find(denied, *path) == denied.end()) denied.emplace_back(*path);
    return breaches_.denied.size() == policy::kMaxTracedPaths;
  }
  bool refused() const { return first_.has_value(); }
  Result<> finish() const {
    if (!first_) return {};
    if (trace_) policy::traceFields(*trace_, false, breaches_);
    return fail(refusal(*first_));
  }

 private:
  policy::Trace* const trace_;
  RefusedPath first_;
  policy::Breaches breaches_;
  std::optional<UncountedWork> uncounted_;  // after the first
};

}  // namespace

Result<> guardDeniedFields(doc::DocumentView body, bool operators, const Grant& grant) {
  if (grant.denied().empty()) return {};
  Guarded guarded(grant.trace);
  for (const doc::Element& each : body) {
    if (!operators) {
      if (guarded.add(guardAssignment(each.key, grant))) break;
      continue;
    }
    for (const doc::Element& field : each.value.asDocument()) {
      if (guarded.add(guardOperator(each.key, field.key, field.value, grant))) return guarded.finish();
    }
  }
  return guarded.finish();
}

Result<> guardReplacement(doc::DocumentView body, const Grant& grant) {
  Guarded guarded(grant.trace);
  for (const std::string& path : grant.denied().paths()) {
    if (WorkBudget::exceeded() && guarded.refused()) break;
    if (WorkBudget::exceeded()) return tooCostly();
    if (guarded.add(guardReplacedField(path, body, grant))) break;
  }
  return guarded.finish();
}

namespace {

// If the body has something else than a document above a field, the field is dropped with the value that was replaced.
void assign(doc::Document& kept, const doc::Document& fields) {
  if (fields.view().empty()) return;
  // The whole document is walked and copied.
  WorkBudget::charge(static_cast<int64_t>(kept.size()));
  const auto assignment = doc::Update::set(fields);
  if (!assignment) return;
  if (auto whole = assignment->apply(kept, Timestamp{})) kept = *std::move(whole);
}

bool isNested(const std::string& path) {
  return path.contains('.');
}

}  // namespace

doc::Document keepDeniedFields(doc::DocumentView before, const doc::Document& after, const doc::FieldSet& denied) {
  doc::Document kept = after;
  // Top-level fields in one assignment, as nothing is above them.
  doc::BsonWriter top;
  for (const std::string& path : denied.paths()) {
    if (WorkBudget::exceeded()) return kept;
    if (isNested(path) || after.view().find(path)) continue;
    if (const auto held = before.find(path)) top.append(path, *held);
  }
  assign(kept, top.finish());
  for (const std::string& path : denied.paths()) {
    if (WorkBudget::exceeded()) return kept;
    if (!isNested(path) || kept.view().findPath(path)) continue;
    doc::BsonWriter fields;
    if (const auto held = before.findPath(path)) {
      fields.append(path, *held);
    } else {
      // The document around the field is kept, as it is if it holds the field: dropping it would reveal that it does
      // not.
      const std::string_view above = parent(path);
      const auto around = above.empty() ? std::nullopt : before.findPath(above);
      if (!around || around->type() != doc::BsonType::document || kept.view().findPath(above)) continue;
      fields.appendDocument(above, doc::DocumentView());
    }
    assign(kept, fields.finish());
  }
  return kept;
}

}  // namespace mb::data
