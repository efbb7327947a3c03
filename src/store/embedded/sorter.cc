#include "store/embedded/sorter.h"

#include "store/value_key.h"

namespace mb::store::embedded {

namespace {

// Appends the encoding of the value by which the document sorts: one of those that an index on the path has for it.
void appendDeciding(std::string& out, doc::DocumentView document, const doc::FieldPath& path, bool descending) {
  std::string best;
  std::string each;
  const auto consider = [&](std::optional<doc::ValueView> value) {
    each.clear();
    if (value) {
      appendValueKey(each, *value, descending, kNoCap);
    } else {
      appendNullKey(each, descending);
    }
    if (best.empty() || each < best) best.swap(each);
  };
  const auto whole = document.findPath(path.dotted());
  if (whole && whole->type() == doc::BsonType::array) {
    for (const doc::Element& element : whole->asDocument()) consider(element.value);
  } else {
    doc::walkPath(document, path, doc::Leaf::elementsToo, [&](std::optional<doc::ValueView> value) {
      if (!value || value->type() != doc::BsonType::array) consider(value);
      return false;
    });
  }
  if (best.empty()) appendEmptyArrayKey(best, descending);
  out += best;
}

// The first array that the path runs through or ends at, other than one of which it names an element; null if none.
const char* arrayOn(doc::DocumentView document, const doc::FieldPath& path) {
  for (size_t i = 0; i < path.steps().size(); ++i) {
    const auto value = document.find(path.steps()[i]);
    if (!value) return nullptr;
    const bool last = i + 1 == path.steps().size();
    if (value->type() == doc::BsonType::array) {
      if (last || !value->asDocument().find(path.steps()[i + 1])) return value->asDocument().bytes().data();
    } else if (value->type() != doc::BsonType::document) {
      return nullptr;
    }
    document = value->asDocument();
  }
  return nullptr;
}

}  // namespace

Result<SortPositions> SortPositions::make(const SortOrder& order) {
  SortPositions positions;
  for (const SortKey& key : order.keys) {
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    positions.fields_.push_back({std::move(path), key.direction < 0});
  }
  if (order.idDescending) positions.fields_.push_back({*doc::FieldPath::parse("id"), true});
  return positions;
}

std::optional<std::vector<std::string_view>> SortPositions::split(std::string_view position) const {
  std::vector<std::string_view> parts;
  for (const Field& field : fields_) {
    const size_t size = valueKeySize(position, field.descending);
    if (size == 0) return std::nullopt;
    parts.push_back(position.substr(0, size));
    position.remove_prefix(size);
  }
  if (position.empty()) return std::nullopt;
  parts.push_back(position);
  return parts;
}

Result<> SortPositions::check(doc::DocumentView document) const {
  if (fields_.size() < 2) return {};
  const Field* first = nullptr;
  const char* firstArray = nullptr;
  for (const Field& field : fields_) {
    const char* array = arrayOn(document, field.path);
    if (!array || array == firstArray) continue;
    if (firstArray) {
      return fail(ErrorCode::validation,
                  fmt::format("the sort names \"{}\" and \"{}\", which are in two arrays of a document: sort by one "
                              "of them",
                              first->path.dotted(), field.path.dotted()));
    }
    first = &field;
    firstArray = array;
  }
  return {};
}

void SortPositions::append(std::string& position, size_t field, doc::DocumentView document) const {
  appendDeciding(position, document, fields_[field].path, fields_[field].descending);
}

std::string SortPositions::of(std::string_view id, doc::DocumentView document) const {
  std::string position;
  for (size_t i = 0; i < fields_.size(); ++i) append(position, i, document);
  position += id;
  return position;
}

Sorter::Position Sorter::locate(std::string_view id, doc::DocumentView document) {
  key_.clear();
  for (size_t i = 0; i < positions_.fields(); ++i) {
    positions_.append(key_, i, document);
    if (i + 1 != settings_.ordered || key_ == leading_) continue;
    if (entries_.size() >= settings_.keep) return Position::behind;
    leading_ = key_;
  }
  key_ += id;
  idSize_ = id.size();
  if (settings_.keep == 0 || (!worst_.empty() && key_ > worst_)) return Position::passed;
  return !settings_.after.empty() && key_ <= settings_.after ? Position::passed : Position::kept;
}

Result<> Sorter::keep(std::string document) {
  if (!holdsDocuments_) document.clear();
  entries_.push_back({std::move(key_), idSize_, std::move(document)});
  bytes_ += bytesOf(entries_.back());
  if (entries_.size() >= std::max<uint64_t>(settings_.keep, 64) * 2) truncateToLimit();
  if (bytes_ <= kSortBytes) return {};
  truncateToLimit();
  if (bytes_ <= kSortBytes) return {};
  if (settings_.shrinks) {
    shrink();
    return {};
  }
  if (holdsDocuments_) dropDocuments();
  if (bytes_ <= kSortBytes) return {};
  return fail(ErrorCode::payloadTooLarge,
              "too many documents precede the result in memory: narrow the filter, create an index for the sort, or "
              "use a smaller `skip` or `limit`");
}

void Sorter::measure() {
  bytes_ = 0;
  for (const Entry& entry : entries_) bytes_ += bytesOf(entry);
}

// Shrinks to half of the bytes, so that it is not done for each document.
void Sorter::shrink() {
  std::sort(entries_.begin(), entries_.end());
  while (entries_.size() > 1 && bytes_ > kSortBytes / 2) {
    bytes_ -= bytesOf(entries_.back());
    entries_.pop_back();
  }
  settings_.keep = entries_.size();
  worst_ = entries_.back().key;
  shrunk_ = true;
}

void Sorter::dropDocuments() {
  holdsDocuments_ = false;
  for (Entry& entry : entries_) entry.document = std::string();
  measure();
}

void Sorter::truncateToLimit() {
  if (entries_.size() <= settings_.keep) return;
  const auto end = entries_.begin() + static_cast<ptrdiff_t>(settings_.keep);
  std::nth_element(entries_.begin(), end - 1, entries_.end());
  worst_ = (end - 1)->key;
  entries_.erase(end, entries_.end());
  measure();
}

std::vector<Sorter::Entry> Sorter::take(uint64_t skip) {
  truncateToLimit();
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(entries_.begin(),
                 entries_.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(skip, entries_.size())));
  return std::move(entries_);
}

}  // namespace mb::store::embedded
