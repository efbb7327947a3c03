#include <vector>

#include "base/key_index.h"
#include "document/field_set.h"
#include "document/value_order.h"

namespace mb::doc {

namespace {

// Finds the fields of one document by name; the index is built only if the fields have another order on the other side.
class FieldIndex {
 public:
  explicit FieldIndex(DocumentView view) : view_(view), next_(view.begin()) {}

  // The field `key`; cheap when called in the order of the fields.
  std::optional<ValueView> find(std::string_view key) {
    if (next_ != view_.end() && next_->key == key) {
      const ValueView value = next_->value;
      ++next_;
      return value;
    }
    const auto keyAt = [&](uint32_t at) { return fields_[at].key; };
    if (!byName_) {
      for (const Element& element : view_) fields_.push_back(element);
      byName_.emplace(fields_.size());
      for (uint32_t i = 0; i < fields_.size(); ++i) byName_->add(fields_[i].key, i, keyAt);
    }
    const auto found = byName_->find(key, keyAt);
    if (!found) return std::nullopt;
    return fields_[*found].value;
  }

 private:
  DocumentView view_;
  DocumentView::Iterator next_;
  std::vector<Element> fields_;
  std::optional<KeyIndex> byName_;
};

class Comparison {
 public:
  explicit Comparison(size_t limit) : limit_(limit) {}

  void documents(DocumentView before, DocumentView after) {
    FieldIndex afterFields(after);
    for (const Element& element : before) {
      if (full()) return;
      field(element.key, element.value, afterFields.find(element.key));
    }
    FieldIndex beforeFields(before);
    for (const Element& element : after) {
      if (full()) return;
      if (!beforeFields.find(element.key)) field(element.key, std::nullopt, element.value);
    }
  }
  std::vector<std::string> take() && { return std::move(paths_); }

 private:
  bool full() const { return paths_.size() >= limit_; }
  static bool isOpen(const std::optional<ValueView>& value) {
    return value && value->type() == BsonType::document && !value->asDocument().empty();
  }

  static DocumentView fieldsOf(const std::optional<ValueView>& value) {
    return value && value->type() == BsonType::document ? value->asDocument() : DocumentView();
  }

  void field(std::string_view key, std::optional<ValueView> before, std::optional<ValueView> after) {
    if (before && after && before->type() == after->type() && before->raw() == after->raw()) return;
    const size_t parent = path_.size();
    if (parent > 0) path_.push_back('.');
    path_.append(key);
    values(before, after);
    path_.resize(parent);
  }

  void values(std::optional<ValueView> before, std::optional<ValueView> after) {
    const bool bothDocuments =
        before && after && before->type() == BsonType::document && after->type() == BsonType::document;
    if (!bothDocuments) {
      if (before && after && equalValues(*before, *after)) return;
      // An added or removed document is reported by its leaves, everything else by its own path.
      const bool onlyLeaves = (isOpen(before) && !after) || (isOpen(after) && !before);
      if (!onlyLeaves) paths_.push_back(path_);
    }
    if (isOpen(before) || isOpen(after)) documents(fieldsOf(before), fieldsOf(after));
  }

  const size_t limit_;
  std::string path_;
  std::vector<std::string> paths_;
};

}  // namespace

std::vector<std::string> changedPaths(DocumentView before, DocumentView after, size_t limit) {
  Comparison comparison(limit);
  comparison.documents(before, after);
  return std::move(comparison).take();
}

}  // namespace mb::doc
