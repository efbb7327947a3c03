#include "data/coerced_filter.h"

#include <algorithm>
#include <array>

namespace mb::data {
namespace {

bool isOperator(std::string_view key) {
  return key.starts_with('$');
}

// Whether the operand of an operator is compared with the field, and so has its type.
bool compares(std::string_view key) {
  static constexpr std::array<std::string_view, 9> kComparisons = {"$eq",  "$ne", "$gt",  "$gte", "$lt",
                                                                   "$lte", "$in", "$nin", "$all"};
  return std::ranges::find(kComparisons, key) != kComparisons.end();
}

// True for {"$gt": …}, false for a document to compare with.
bool holdsOperators(doc::ValueView value) {
  if (value.type() != doc::BsonType::document) return false;
  const doc::DocumentView inside = value.asDocument();
  return !inside.empty() && isOperator(inside.begin()->key);
}

class FilterCoercer {
 public:
  explicit FilterCoercer(const doc::FilterCoercion& coercion) : coercion_(coercion) {}

  // Writes the conditions in `filter` on the value at `path`.
  void conditions(doc::DocumentView filter, const std::string& path) {
    for (const doc::Element& each : filter) {
      if (isOperator(each.key)) {
        operation(each.key, each.value, path);
        continue;
      }
      const std::string inner = path.empty() ? std::string(each.key) : path + "." + std::string(each.key);
      if (holdsOperators(each.value)) {
        nested(each.key, each.value.asDocument(), inner);
      } else {
        constant(each.key, each.value, inner);
      }
    }
  }
  doc::Document finish() { return out_.finish(); }

 private:
  void nested(std::string_view key, doc::DocumentView filter, const std::string& path) {
    out_.beginDocument(key);
    conditions(filter, path);
    out_.end();
  }
  void operation(std::string_view key, doc::ValueView value, const std::string& path) {
    if (value.type() == doc::BsonType::document && (key == "$not" || key == "$elemMatch")) {
      nested(key, value.asDocument(), path);
    } else if (key == "$and" || key == "$or" || key == "$nor" || key == "$in" || key == "$nin" || key == "$all") {
      out_.beginArray(key);
      for (const doc::Element& each : value.asDocument()) {
        const bool filter = !compares(key) || holdsOperators(each.value);
        if (filter && each.value.type() == doc::BsonType::document) {
          nested(each.key, each.value.asDocument(), path);
        } else {
          constant(each.key, each.value, path);
        }
      }
      out_.end();
    } else if (compares(key)) {
      constant(key, value, path);
    } else {
      out_.append(key, value);
    }
  }
  void constant(std::string_view key, doc::ValueView value, const std::string& path) {
    const std::optional<doc::Value> coerced = coercion_.coerce(path, value);
    out_.append(key, coerced ? coerced->view() : value);
  }

  const doc::FilterCoercion& coercion_;
  doc::BsonWriter out_;
};

}  // namespace

doc::Document coercedFilter(doc::DocumentView filter, const doc::FilterCoercion& coercion) {
  FilterCoercer coercer(coercion);
  coercer.conditions(filter, "");
  return coercer.finish();
}

}  // namespace mb::data
