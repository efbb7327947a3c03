#include <boost/container/small_vector.hpp>

#include "base/work_budget.h"
#include "document/schema_node.h"

namespace mb::doc {

namespace {

// Units of a WorkBudget. Once that is used up, the result has no meaning, and little more work is done.
constexpr int64_t kPrepareUnitsPerField = 30;
constexpr int64_t kUnitsPerConversion = 300;
constexpr size_t kMaxMarks = 100;

std::string_view formText(BsonForm form) {
  switch (form) {
    case BsonForm::date:
      return "must be an RFC 3339 time";
    case BsonForm::objectId:
      return "must be an object id of 24 hexadecimal digits";
    case BsonForm::decimal:
      return "must be a decimal number of at most 34 digits";
    default:
      return "must be base64 text";
  }
}

bool needsWork(const SchemaNode& node, bool applyDefaults) {
  return node.hasForms || (applyDefaults && node.hasDefaults);
}

class Preparation {
 public:
  Preparation(BsonWriter& out, bool applyDefaults, std::vector<ErrorDetail>& problems)
      : out_(out), applyDefaults_(applyDefaults), problems_(problems) {}

  void value(std::string_view key, const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    if (node.form != BsonForm::none) return converted(key, node, value, place);
    if (!value.isContainer() || !needsWork(node, applyDefaults_)) return out_.append(key, value);
    if (value.type() == BsonType::array) {
      out_.beginArray(key);
      for (const Element& element : value.asDocument()) {
        if (!WorkBudget::charge(kPrepareUnitsPerField)) break;
        child(node.items.get(), element, place);
      }
    } else {
      out_.beginDocument(key);
      fields(node, value.asDocument(), place);
    }
    out_.end();
  }

  void fields(const SchemaNode& node, DocumentView object, const SchemaPosition& place) {
    boost::container::small_vector<bool, 32> seen(node.properties.size(), false);
    for (const Element& element : object) {
      if (!WorkBudget::charge(kPrepareUnitsPerField)) return;
      if (const auto* property = node.property(element.key)) {
        seen[static_cast<size_t>(property - node.properties.data())] = true;
      }
      child(node.fieldNode(element.key), element, place);
    }
    if (!applyDefaults_) return;
    for (size_t i = 0; i < seen.size(); ++i) {
      const auto& property = node.properties[i];
      if (seen[i] || !property.node) continue;
      const auto& fallback = property.node->fallback;
      if (!fallback) continue;
      if (!WorkBudget::charge(kPrepareUnitsPerField + static_cast<int64_t>(fallback->view().raw().size() / 2))) return;
      out_.append(property.name, *fallback);
    }
  }

 private:
  void child(const SchemaNode* node, const Element& element, const SchemaPosition& parent) {
    if (node) {
      value(element.key, *node, element.value, {&parent, element.key});
    } else {
      out_.append(element.key, element.value);
    }
  }

  void converted(std::string_view key, const SchemaNode& node, ValueView value, const SchemaPosition& place) {
    // Validation decides whether null is allowed.
    if (value.type() == BsonType::null || value.type() == typeOf(node.form)) return out_.append(key, value);
    if (!WorkBudget::charge(kUnitsPerConversion + static_cast<int64_t>(value.raw().size()))) return;
    if (const auto made = convertTo(node.form, value)) return out_.append(key, *made);
    if (problems_.size() < kMaxMarks) problems_.push_back({pointerOf(place), std::string(formText(node.form))});
    out_.append(key, value);
  }

  BsonWriter& out_;
  bool applyDefaults_;
  std::vector<ErrorDetail>& problems_;
};

}  // namespace

void appendPrepared(BsonWriter& out, std::string_view key, const SchemaNode& node, ValueView value, bool applyDefaults,
                    const SchemaPosition& place, std::vector<ErrorDetail>& problems) {
  Preparation(out, applyDefaults, problems).value(key, node, value, place);
}

void appendPreparedFields(BsonWriter& out, const SchemaNode& node, DocumentView document, bool applyDefaults,
                          std::vector<ErrorDetail>& problems) {
  Preparation(out, applyDefaults, problems).fields(node, document, {});
}

}  // namespace mb::doc
