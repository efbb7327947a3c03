#include "store/embedded/sorter.h"

#include "store/embedded/value_key.h"

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

}  // namespace

Result<SortPositions> SortPositions::make(const std::vector<SortKey>& keys) {
  SortPositions positions;
  for (const SortKey& key : keys) {
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    positions.fields_.push_back({std::move(path), key.direction < 0});
  }
  return positions;
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
  bytes_ += key_.size() + document.size();
  entries_.push_back({std::move(key_), idSize_, std::move(document)});
  if (entries_.size() >= std::max<uint64_t>(settings_.keep, 64) * 2) truncateToLimit();
  if (bytes_ <= kSortBytes) return {};
  truncateToLimit();
  if (bytes_ <= kSortBytes) return {};
  if (settings_.shrinks) {
    shrink();
    return {};
  }
  return fail(ErrorCode::payloadTooLarge,
              "the result is too large to be sorted: narrow the filter or use a smaller `limit`");
}

// Shrinks to half of the bytes, so that it is not done for each document.
void Sorter::shrink() {
  std::sort(entries_.begin(), entries_.end());
  while (entries_.size() > 1 && bytes_ > kSortBytes / 2) {
    bytes_ -= entries_.back().key.size() + entries_.back().document.size();
    entries_.pop_back();
  }
  settings_.keep = entries_.size();
  worst_ = entries_.back().key;
  shrunk_ = true;
}

void Sorter::truncateToLimit() {
  if (entries_.size() <= settings_.keep) return;
  const auto end = entries_.begin() + static_cast<ptrdiff_t>(settings_.keep);
  std::nth_element(entries_.begin(), end - 1, entries_.end());
  worst_ = (end - 1)->key;
  entries_.erase(end, entries_.end());
  bytes_ = 0;
  for (const Entry& entry : entries_) bytes_ += entry.key.size() + entry.document.size();
}

std::vector<Sorter::Entry> Sorter::take(uint64_t skip) {
  truncateToLimit();
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(entries_.begin(),
                 entries_.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(skip, entries_.size())));
  return std::move(entries_);
}

}  // namespace mb::store::embedded
