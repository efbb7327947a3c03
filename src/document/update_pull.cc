// $pull $pullAll
#include <algorithm>

#include "base/work_budget.h"
#include "document/coercion.h"
#include "document/update_actions.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget, in addition to the cost of its conditions.
constexpr int64_t kUnitsPerPull = 200;

using ActionResult = Result<std::unique_ptr<UpdateAction>>;

// Removes the elements that a subclass selects.
class RemoveElements : public UpdateAction {
 public:
  explicit RemoveElements(std::string_view op) : op_(op) {}
  bool createsField() const override { return false; }

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    if (!current) return {};
    if (current->type() != BsonType::array) {
      return refuseUpdate(fmt::format("{} of \"{}\": the field is of type {}, not an array", op_, target.path,
                                      typeName(current->type())));
    }
    out.beginArray(target.key);
    size_t index = 0;
    for (const Element& element : current->asDocument()) {
      if (!WorkBudget::charge(kUnitsPerPull)) return tooCostly();
      if (!takes(element.value)) out.append(arrayKey(index++), element.value);
    }
    out.end();
    if (WorkBudget::exceeded()) return tooCostly();
    return {};
  }

 protected:
  virtual bool takes(ValueView element) const = 0;

 private:
  std::string op_;
};

class RemoveEqual final : public RemoveElements {
 public:
  RemoveEqual(std::string_view op, std::vector<Value> values) : RemoveElements(op), values_(std::move(values)) {
    std::ranges::sort(values_, less, &Value::view);
  }

 protected:
  bool takes(ValueView element) const override {
    return std::ranges::binary_search(values_, element, less, &Value::view);
  }

 private:
  static bool less(ValueView a, ValueView b) { return compareValues(a, b) < 0; }
  std::vector<Value> values_;
};

// Elements that are documents and match a filter.
class RemoveDocuments final : public RemoveElements {
 public:
  explicit RemoveDocuments(Filter filter) : RemoveElements("$pull"), filter_(std::move(filter)) {}

 protected:
  bool takes(ValueView element) const override {
    return element.type() == BsonType::document && filter_.matches(element.asDocument());
  }

 private:
  Filter filter_;
};

// The name of an element in a condition on values.
constexpr std::string_view kElement = "element";

// Elements that satisfy operators.
class RemoveMatching final : public RemoveElements {
 public:
  explicit RemoveMatching(Filter filter) : RemoveElements("$pull"), filter_(std::move(filter)) {}

 protected:
  bool takes(ValueView element) const override { return takesElement(filter_, kElement, element); }

 private:
  Filter filter_;
};

// Converts the constants of a $pull: its conditions are on elements, the schema's types on paths from the root.
class BelowPath final : public FilterCoercion {
 public:
  BelowPath(const FilterCoercion* coercion, const std::string& path, bool onElements)
      : coercion_(coercion), path_(path), onElements_(onElements) {}
  std::optional<Value> coerce(std::string_view path, ValueView given) const override {
    if (!coercion_) return std::nullopt;
    const std::string_view below = onElements_ ? path.substr(std::min(path.size(), kElement.size())) : path;
    return coercion_->coerce(
        onElements_ || below.empty() ? path_ + std::string(below) : path_ + "." + std::string(below), given);
  }

 private:
  const FilterCoercion* coercion_;
  const std::string& path_;
  bool onElements_;
};

Result<Filter> pullFilter(const ActionSource& source, DocumentView conditions, bool onElements) {
  const BelowPath coercion(source.coercion, source.plainPath, onElements);
  auto filter = Filter::parse(conditions, &coercion);
  if (!filter) {
    return refuseUpdate(fmt::format("$pull of \"{}\": {}", source.path, filter.error().message()));
  }
  return filter;
}

}  // namespace

ActionResult makePull(const ActionSource& source) {
  if (source.value.type() != BsonType::document) {
    std::vector<Value> values;
    TRY(Value value, storedValue(source, source.value));
    values.push_back(std::move(value));
    return std::make_unique<RemoveEqual>(source.op, std::move(values));
  }
  const DocumentView conditions = source.value.asDocument();
  const bool isLogical = !conditions.empty() && (conditions.begin()->key == "$and" ||
                                                 conditions.begin()->key == "$or" || conditions.begin()->key == "$nor");
  const bool onElements = !conditions.empty() && conditions.begin()->key.starts_with('$') && !isLogical;
  if (!onElements) {
    TRY(Filter filter, pullFilter(source, conditions, false));
    return std::make_unique<RemoveDocuments>(std::move(filter));
  }
  BsonWriter wrapped;
  wrapped.appendDocument(kElement, conditions);
  TRY(Filter filter, pullFilter(source, wrapped.finish(), true));
  return std::make_unique<RemoveMatching>(std::move(filter));
}

ActionResult makePullAll(const ActionSource& source) {
  if (source.value.type() != BsonType::array) {
    return refuseUpdate(fmt::format("$pullAll of \"{}\" takes an array", source.path));
  }
  std::vector<Value> values;
  for (const Element& element : source.value.asDocument()) {
    TRY(Value value, storedValue(source, element.value));
    values.push_back(std::move(value));
  }
  return std::make_unique<RemoveEqual>(source.op, std::move(values));
}

}  // namespace mb::doc
