#include <algorithm>
#include <bit>
#include <boost/container/small_vector.hpp>

#include "base/text.h"
#include "base/work_budget.h"
#include "document/canonical.h"
#include "document/schema_node.h"
#include "document/storable.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget.
constexpr int64_t kUnitsPerCheck = 10;
constexpr int64_t kUnitsPerComparison = 25;
constexpr int64_t kUnitsPerCanonicalByte = 4;
constexpr int64_t kUnitsPerDecimal = 150;
constexpr int64_t kUnitsPerFormat = 60;

int64_t canonicalCost(ValueView value) {
  return value.isContainer() ? static_cast<int64_t>(value.raw().size()) * kUnitsPerCanonicalByte : 0;
}

bool isIntegral(ValueView number) {
  if (number.type() == BsonType::decimal) {
    const Decimal decimal = Decimal::fromBytes(number.asDecimal());
    return decimal.isFinite() && isMultipleOf(decimal, Decimal::fromInteger(1));
  }
  // Every double beyond 64 bits is integral.
  return number.toInteger().has_value() || std::abs(number.toReal()) >= 0x1p63;
}

JsonTypes typesOf(ValueView value) {
  switch (value.type()) {
    case BsonType::null:
      return json_type::null;
    case BsonType::boolean:
      return json_type::boolean;
    case BsonType::int32:
    case BsonType::int64:
      return json_type::integer | json_type::number;
    case BsonType::real:
    case BsonType::decimal:
      return isIntegral(value) ? json_type::integer | json_type::number : json_type::number;
    case BsonType::string:
      return json_type::string;
    case BsonType::array:
      return json_type::array;
    case BsonType::document:
      return json_type::object;
    default:
      return 0;
  }
}

std::string typesText(JsonTypes types) {
  constexpr std::array<std::string_view, 7> kNames{"null",     "a boolean", "an integer", "a number",
                                                   "a string", "an array",  "an object"};
  std::string text;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if ((types & (1 << i)) == 0) continue;
    text += text.empty() ? "" : " or ";
    text += kNames[i];
  }
  return text;
}

class Validator {
 public:
  // Without `details` the validation ends at the first breach.
  Validator(std::vector<ErrorDetail>* details, size_t limit) : details_(details), limit_(limit) {}

  // Whether `value` satisfies `node`.
  bool check(const SchemaNode& node, ValueView value, const SchemaPosition& place, bool isDocumentRoot = false) {
    if (!WorkBudget::charge(kUnitsPerCheck)) return false;
    if (node.refusesAll) return breach(place, "must be absent");
    if (!checkType(node, value, place)) return false;
    bool good = true;
    const auto all = [&](bool passed) { return good = passed && good; };
    const bool isListed = !node.allowed.empty() || node.constant;
    if (isListed && !all(checkAllowed(node, value, place)) && done()) return false;
    if (value.isNumber() && !all(checkNumber(node, value, place)) && done()) return false;
    if (value.type() == BsonType::string && !all(checkString(node, value.asString(), place)) && done()) return false;
    if (value.type() == BsonType::array && !all(checkArray(node, value, place)) && done()) return false;
    if (value.type() == BsonType::document && !all(checkObject(node, value, place, isDocumentRoot)) && done()) {
      return false;
    }
    if (!all(checkBranches(node, value, place, isDocumentRoot)) && done()) return false;
    return good;
  }

 private:
  bool done() const { return !details_ || details_->size() >= limit_; }

  bool breach(const SchemaPosition& place, std::string message) {
    if (details_ && details_->size() < limit_) details_->push_back({pointerOf(place), std::move(message)});
    return false;
  }
  // Builds the message only if details are collected.
  template <class Make>
  bool breachWith(const SchemaPosition& place, Make make) {
    return details_ ? breach(place, make()) : false;
  }

  bool checkType(const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    if (node.form != BsonForm::none) {
      const bool isNull = value.type() == BsonType::null && (node.types == 0 || (node.types & json_type::null) != 0);
      if (isNull || value.type() == typeOf(node.form)) return true;
      return breachWith(place, [&] { return fmt::format("must be a {}", typeName(typeOf(node.form))); });
    }
    if (node.types == 0) return true;
    if (value.type() == BsonType::decimal) WorkBudget::charge(kUnitsPerDecimal);
    if ((node.types & typesOf(value)) != 0) return true;
    return breachWith(place, [&] { return "must be " + typesText(node.types); });
  }

  bool checkAllowed(const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    const int64_t comparisons = 1 + std::bit_width(node.allowed.size());
    if (!WorkBudget::charge(canonicalCost(value) + comparisons * kUnitsPerComparison)) return false;
    const Value sorted = value.isContainer() ? canonical(value) : Value();
    const ValueView compared = value.isContainer() ? sorted.view() : value;
    const bool isConstant = !node.constant || equalValues(compared, *node.constant);
    if (!isConstant) breach(place, "must be the one value allowed");
    const auto less = [](ValueView a, ValueView b) { return compareValues(a, b) < 0; };
    if (node.allowed.empty() || std::ranges::binary_search(node.allowed, compared, less, &Value::view))
      return isConstant;
    return breach(place, "must be one of the values allowed");
  }

  bool checkNumber(const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    bool good = true;
    if (node.minimum && compareValues(value, *node.minimum) < 0) good = breach(place, "must not be below the minimum");
    if (node.maximum && compareValues(value, *node.maximum) > 0) good = breach(place, "must not be above the maximum");
    if (node.exclusiveMinimum && compareValues(value, *node.exclusiveMinimum) <= 0) {
      good = breach(place, "must be above the exclusive minimum");
    }
    if (node.exclusiveMaximum && compareValues(value, *node.exclusiveMaximum) >= 0) {
      good = breach(place, "must be below the exclusive maximum");
    }
    if (!node.multipleOf || !WorkBudget::charge(kUnitsPerDecimal)) return good;
    const auto decimal = convertTo(BsonForm::decimal, value);
    if (decimal && isMultipleOf(Decimal::fromBytes(decimal->view().asDecimal()), *node.multipleOf)) return good;
    return breachWith(place, [&] { return "must be a multiple of " + node.multipleOf->toText(); });
  }

  bool checkString(const SchemaNode& node, std::string_view text, const SchemaPosition& place) {
    bool good = true;
    if (!WorkBudget::charge(static_cast<int64_t>(text.size() / 2))) return false;
    if (node.minLength || node.maxLength) {
      const auto length = static_cast<int64_t>(codePoints(text));
      if (node.minLength && length < *node.minLength) {
        good = breachWith(place, [&] { return fmt::format("must be at least {} characters long", *node.minLength); });
      }
      if (node.maxLength && length > *node.maxLength) {
        good = breachWith(place, [&] { return fmt::format("must be at most {} characters long", *node.maxLength); });
      }
    }
    if (node.pattern && !matchesPattern(*node.pattern, text)) {
      good = breachWith(place, [&] { return fmt::format("must match the pattern {}", node.pattern->source); });
    }
    if (node.format) WorkBudget::charge(kUnitsPerFormat);
    if (node.format && !matchesFormat(*node.format, text)) {
      good = breachWith(place, [&] { return fmt::format("must have the format {}", formatName(*node.format)); });
    }
    return good;
  }

  bool checkArray(const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    bool good = true;
    if (node.minItems || node.maxItems) {
      const auto count = static_cast<int64_t>(value.asDocument().count());
      if (node.minItems && count < *node.minItems) {
        good = breachWith(place, [&] { return fmt::format("must hold at least {} items", *node.minItems); });
      }
      if (node.maxItems && count > *node.maxItems) {
        good = breachWith(place, [&] { return fmt::format("must hold at most {} items", *node.maxItems); });
      }
    }
    if (!good && done()) return false;
    if (node.uniqueItems && hasRepeated(value.asDocument())) good = breach(place, "must not hold duplicate items");
    if (!node.items) return good;
    for (const Element& element : value.asDocument()) {
      if (!good && done()) return false;
      good = check(*node.items, element.value, {&place, element.key}) && good;
    }
    return good;
  }

  static bool hasRepeated(DocumentView array) {
    if (!WorkBudget::charge(static_cast<int64_t>(array.bytes().size()) * kUnitsPerCanonicalByte)) return false;
    std::vector<Value> sorted;  // owns the bytes of the views of containers
    std::vector<ValueView> items;
    for (const Element& element : array) {
      if (element.value.isContainer()) {
        sorted.push_back(canonical(element.value));
      } else {
        items.push_back(element.value);
      }
    }
    for (const Value& value : sorted) items.push_back(value);
    const auto comparisons = static_cast<int64_t>(items.size() * static_cast<size_t>(std::bit_width(items.size())));
    if (!WorkBudget::charge(comparisons * kUnitsPerComparison)) return false;
    std::ranges::sort(items, [](ValueView a, ValueView b) { return compareValues(a, b) < 0; });
    return std::ranges::adjacent_find(items, equalValues) != items.end();
  }

  bool checkObject(const SchemaNode& node, ValueView value, const SchemaPosition& place, bool isDocumentRoot) {
    boost::container::small_vector<bool, 32> seen(node.properties.size(), false);
    bool good = true;
    for (const Element& element : value.asDocument()) {
      if ((!good && done()) || !WorkBudget::charge(kUnitsPerCheck)) return false;
      const SchemaPosition at{&place, element.key};
      const SchemaNode::Property* property = node.property(element.key);
      if (property) seen[static_cast<size_t>(property - node.properties.data())] = true;
      if (isDocumentRoot && isServerDate(element.key)) continue;
      good = checkField(node, property, element.value, at, isDocumentRoot) && good;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      const SchemaNode::Property& property = node.properties[i];
      if (seen[i] || !property.isRequired) continue;
      if (isDocumentRoot && (property.name == "id" || isServerDate(property.name))) continue;
      good = breach({&place, property.name}, "is required");
      if (done()) return false;
    }
    return good;
  }

  bool checkField(const SchemaNode& node, const SchemaNode::Property* property, ValueView value,
                  const SchemaPosition& at, bool isDocumentRoot) {
    bool described = property && property->node;
    bool good = !described || check(*property->node, value, at);
    for (const auto& candidate : node.patternProperties) {
      if (!matchesPattern(candidate.pattern, at.key)) continue;
      described = true;
      good = check(*candidate.node, value, at) && good;
    }
    if (described || (isDocumentRoot && isServerField(at.key))) return good;
    if (node.isClosed) return breach(at, "is not a field of the schema");
    return node.additional ? check(*node.additional, value, at) && good : good;
  }

  bool checkBranches(const SchemaNode& node, ValueView value, const SchemaPosition& place, bool isDocumentRoot) {
    bool good = true;
    for (const auto& branch : node.allOf) {
      good = check(*branch, value, place, isDocumentRoot) && good;
      if (!good && done()) return false;
    }
    const auto holds = [&](const std::unique_ptr<SchemaNode>& branch) {
      return Validator(nullptr, 0).check(*branch, value, place, isDocumentRoot);
    };
    if (!node.anyOf.empty() && std::ranges::none_of(node.anyOf, holds)) {
      good = breach(place, "must match at least one schema of anyOf");
    }
    if (!node.oneOf.empty()) {
      const auto count = std::ranges::count_if(node.oneOf, holds);
      if (count != 1) {
        good = breach(place, count == 0 ? "must match one schema of oneOf" : "must match only one schema of oneOf");
      }
    }
    if (node.negated && holds(node.negated)) good = breach(place, "must not match the schema of not");
    return good;
  }

  std::vector<ErrorDetail>* details_;
  size_t limit_;
};

}  // namespace

std::string pointerOf(const SchemaPosition& place) {
  if (!place.parent) return "";
  std::string pointer = pointerOf(*place.parent);
  appendPointer(pointer, place.key);
  return pointer;
}

std::vector<ErrorDetail> breaches(const SchemaNode& node, ValueView value, size_t limit, bool isDocumentRoot) {
  std::vector<ErrorDetail> details;
  Validator(&details, limit).check(node, value, {}, isDocumentRoot);
  return details;
}

}  // namespace mb::doc
