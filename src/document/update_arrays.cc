// $push $addToSet $pop
#include <algorithm>
#include <bit>
#include <set>

#include "base/work_budget.h"
#include "document/update_actions.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget.
constexpr size_t kUnitsPerComparison = 25;
constexpr size_t kBytesPerUnit = 8;  // compared

using ActionResult = Result<std::unique_ptr<UpdateAction>>;

std::unexpected<Error> notAnArray(std::string_view op, const Target& target, ValueView current) {
  return refuseUpdate(
      fmt::format("{} of \"{}\": the field is of type {}, not an array", op, target.path, typeName(current.type())));
}

// The values of `source` as they will be stored: those of {"$each": [...]}, or the single one.
Result<std::vector<Value>> valuesOf(const ActionSource& source, ValueView value) {
  std::vector<Value> values;
  const auto each = value.type() == BsonType::document ? value.asDocument().find("$each") : std::nullopt;
  if (!each) {
    TRY(Value stored, storedValue(source, value));
    values.push_back(std::move(stored));
    return values;
  }
  if (each->type() != BsonType::array) {
    return refuseUpdate(fmt::format("$each of \"{}\" takes an array", source.path));
  }
  for (const Element& element : each->asDocument()) {
    TRY(Value stored, storedValue(source, element.value));
    values.push_back(std::move(stored));
  }
  return values;
}

struct SortKey {
  std::string path;
  int direction;
};

// The order of $sort: of whole values if `keys` is empty, else of documents by these fields.
struct PushSort {
  std::vector<SortKey> keys;
  int direction = 1;

  bool operator()(ValueView a, ValueView b) const {
    if (keys.empty()) return direction * compareValues(a, b) < 0;
    for (const SortKey& key : keys) {
      const int order = key.direction * compareValues(fieldOf(a, key.path), fieldOf(b, key.path));
      if (order != 0) return order < 0;
    }
    return false;
  }

 private:
  // Follows the path through arrays by position; null if there is no value, or if `value` is not a document.
  static ValueView fieldOf(ValueView value, std::string_view path) {
    if (value.type() != BsonType::document) return {};
    while (value.isContainer()) {
      const size_t dot = path.find('.');
      const auto found = value.asDocument().find(path.substr(0, dot));
      if (!found) return {};
      if (dot == std::string_view::npos) return *found;
      value = *found;
      path.remove_prefix(dot + 1);
    }
    return {};
  }
};

struct PushModifiers {
  std::optional<int64_t> position;
  std::optional<int64_t> slice;
  std::optional<PushSort> sort;
};

class Push final : public UpdateAction {
 public:
  Push(std::vector<Value> values, PushModifiers modifiers)
      : values_(std::move(values)), modifiers_(std::move(modifiers)) {}

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    if (current && current->type() != BsonType::array) return notAnArray("$push", target, *current);
    std::vector<ValueView> elements;
    if (current) {
      for (const Element& element : current->asDocument()) elements.push_back(element.value);
    }
    elements.insert(elements.begin() + insertionPoint(elements.size()), values_.begin(), values_.end());
    if (modifiers_.sort) RETURN_IF_ERROR(sort(elements));
    out.beginArray(target.key);
    size_t index = 0;
    for (const ValueView element : sliced(elements)) out.append(arrayKey(index++), element);
    out.end();
    return {};
  }

 private:
  std::ptrdiff_t insertionPoint(size_t size) const {
    const auto end = static_cast<int64_t>(size);
    if (!modifiers_.position) return end;
    const int64_t position = *modifiers_.position;
    return position >= 0 ? std::min(position, end) : std::max(end + std::max(position, -end), int64_t{0});
  }

  // Equal elements keep their order. Fails with queryTooCostly before it starts, as a sort cannot be stopped.
  Result<> sort(std::vector<ValueView>& elements) const {
    size_t bytes = 0;
    for (const ValueView element : elements) bytes += element.raw().size();
    const size_t keys = std::max<size_t>(1, modifiers_.sort->keys.size());
    const size_t each = elements.size() * keys * kUnitsPerComparison + bytes / kBytesPerUnit;
    if (!WorkBudget::charge(static_cast<int64_t>(each * static_cast<size_t>(std::bit_width(elements.size()))))) {
      return tooCostly();
    }
    std::vector<std::pair<ValueView, size_t>> numbered;
    for (const ValueView element : elements) numbered.emplace_back(element, numbered.size());
    std::ranges::sort(numbered, [&](const auto& a, const auto& b) {
      if ((*modifiers_.sort)(a.first, b.first)) return true;
      return a.second < b.second && !(*modifiers_.sort)(b.first, a.first);
    });
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = numbered[i].first;
    return {};
  }

  std::span<const ValueView> sliced(std::span<const ValueView> elements) const {
    if (!modifiers_.slice) return elements;
    const auto size = static_cast<int64_t>(elements.size());
    const int64_t slice = std::clamp(*modifiers_.slice, -size, size);
    return slice >= 0 ? elements.first(static_cast<size_t>(slice)) : elements.last(static_cast<size_t>(-slice));
  }

  std::vector<Value> values_;
  PushModifiers modifiers_;
};

Result<PushSort> pushSort(const ActionSource& source, ValueView value) {
  const auto refuse = [&] {
    return refuseUpdate(fmt::format("$sort of \"{}\" takes 1, -1, or an object of fields with these", source.path));
  };
  const auto direction = [](ValueView given) -> std::optional<int> {
    const auto integer = given.isNumber() ? given.toInteger() : std::nullopt;
    if (integer != 1 && integer != -1) return std::nullopt;
    return static_cast<int>(*integer);
  };
  PushSort sort;
  if (const auto whole = direction(value)) {
    sort.direction = *whole;
    return sort;
  }
  if (value.type() != BsonType::document || value.asDocument().empty()) return refuse();
  for (const Element& element : value.asDocument()) {
    const auto way = direction(element.value);
    if (!way || !FieldPath::parse(element.key)) return refuse();
    sort.keys.push_back({std::string(element.key), *way});
  }
  return sort;
}

Result<PushModifiers> pushModifiers(const ActionSource& source) {
  PushModifiers modifiers;
  for (const Element& element : source.value.asDocument()) {
    if (element.key == "$each") continue;
    if (element.key == "$sort") {
      TRY(modifiers.sort, pushSort(source, element.value));
      continue;
    }
    const auto integer = element.value.isNumber() ? element.value.toInteger() : std::nullopt;
    const bool isSlice = element.key == "$slice";
    if (!integer || !(isSlice || element.key == "$position")) {
      return refuseUpdate(
          fmt::format("$push of \"{}\" takes with $each only $slice and $position with a whole "
                      "number, and $sort",
                      source.path));
    }
    (isSlice ? modifiers.slice : modifiers.position) = integer;
  }
  return modifiers;
}

class AddToSet final : public UpdateAction {
 public:
  explicit AddToSet(std::vector<Value> values) : values_(std::move(values)) {}

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    if (current && current->type() != BsonType::array) return notAnArray("$addToSet", target, *current);
    size_t bytes = 0;
    for (const Value& value : values_) bytes += value.view().raw().size();
    const size_t each = values_.size() * kUnitsPerComparison + bytes / kBytesPerUnit;
    // Each value is added to the set and removed again.
    if (!WorkBudget::charge(static_cast<int64_t>(2 * each * static_cast<size_t>(std::bit_width(values_.size()))))) {
      return tooCostly();
    }
    const auto less = [](ValueView a, ValueView b) { return compareValues(a, b) < 0; };
    std::set<ValueView, decltype(less)> wanted(values_.begin(), values_.end(), less);
    out.beginArray(target.key);
    size_t index = 0;
    if (current) {
      const auto cost = static_cast<int64_t>(kUnitsPerComparison * static_cast<size_t>(std::bit_width(wanted.size())));
      for (const Element& element : current->asDocument()) {
        if (!WorkBudget::charge(cost + static_cast<int64_t>(element.value.raw().size() / kBytesPerUnit))) {
          return tooCostly();
        }
        wanted.erase(element.value);
        out.append(arrayKey(index++), element.value);
      }
    }
    // In the given order, each once.
    for (const Value& value : values_) {
      if (wanted.erase(value.view()) != 0) out.append(arrayKey(index++), value);
    }
    out.end();
    return {};
  }

 private:
  std::vector<Value> values_;
};

class Pop final : public UpdateAction {
 public:
  explicit Pop(bool first) : first_(first) {}
  bool createsField() const override { return false; }

  Result<> apply(const ApplyContext&, const Target& target, std::optional<ValueView> current,
                 BsonWriter& out) const override {
    if (!current) return {};
    if (current->type() != BsonType::array) return notAnArray("$pop", target, *current);
    const size_t count = current->asDocument().count();
    const size_t dropped = first_ ? 0 : count - 1;
    out.beginArray(target.key);
    size_t index = 0;
    size_t position = 0;
    for (const Element& element : current->asDocument()) {
      if (position++ != dropped) out.append(arrayKey(index++), element.value);
    }
    out.end();
    return {};
  }

 private:
  bool first_;
};

}  // namespace

ActionResult makePush(const ActionSource& source) {
  TRY(auto values, valuesOf(source, source.value));
  PushModifiers modifiers;
  if (source.value.type() == BsonType::document && source.value.asDocument().find("$each")) {
    TRY(modifiers, pushModifiers(source));
  }
  return std::make_unique<Push>(std::move(values), std::move(modifiers));
}

ActionResult makeAddToSet(const ActionSource& source) {
  const bool isEach = source.value.type() == BsonType::document && source.value.asDocument().find("$each");
  if (isEach && source.value.asDocument().count() != 1) {
    return refuseUpdate(fmt::format("$addToSet of \"{}\" takes only $each", source.path));
  }
  TRY(auto values, valuesOf(source, source.value));
  return std::make_unique<AddToSet>(std::move(values));
}

ActionResult makePop(const ActionSource& source) {
  const auto end = source.value.isNumber() ? source.value.toInteger() : std::nullopt;
  if (end != 1 && end != -1) return refuseUpdate(fmt::format("$pop of \"{}\" takes 1 or -1", source.path));
  return std::make_unique<Pop>(*end == -1);
}

}  // namespace mb::doc
