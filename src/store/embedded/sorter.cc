#include "store/embedded/sorter.h"

#include "store/embedded/value_key.h"

namespace mb::store::embedded {

namespace {

// The encoding of the value that decides where the document stands: of those that an index on the path holds for it.
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

Result<Sorter> Sorter::make(const std::vector<SortKey>& keys, uint64_t keep, size_t ordered) {
  Sorter sorter;
  sorter.ordered_ = ordered;
  sorter.keep_ = keep;
  for (const SortKey& key : keys) {
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    sorter.fields_.push_back({std::move(path), key.direction < 0});
  }
  return sorter;
}

Sorter::Position Sorter::place(std::string_view id, doc::DocumentView document) {
  key_.clear();
  for (size_t i = 0; i < fields_.size(); ++i) {
    appendDeciding(key_, document, fields_[i].path, fields_[i].descending);
    if (i + 1 != ordered_ || key_ == leading_) continue;
    if (entries_.size() >= keep_) return Position::behind;
    leading_ = key_;
  }
  key_ += id;
  return keep_ == 0 || (!worst_.empty() && key_ > worst_) ? Position::passed : Position::kept;
}

Result<> Sorter::keep(std::string document) {
  bytes_ += key_.size() + document.size();
  entries_.push_back({std::move(key_), std::move(document)});
  if (entries_.size() >= std::max<uint64_t>(keep_, 64) * 2) cutToKeep();
  if (bytes_ <= kSortBytes) return {};
  cutToKeep();
  if (bytes_ <= kSortBytes) return {};
  return fail(ErrorCode::payloadTooLarge,
              "the result is too large to be sorted; narrow the filter or ask for a smaller `limit`");
}

void Sorter::cutToKeep() {
  if (entries_.size() <= keep_) return;
  const auto end = entries_.begin() + static_cast<ptrdiff_t>(keep_);
  std::nth_element(entries_.begin(), end - 1, entries_.end());
  worst_ = (end - 1)->key;
  entries_.erase(end, entries_.end());
  bytes_ = 0;
  for (const Entry& entry : entries_) bytes_ += entry.key.size() + entry.document.size();
}

std::vector<doc::Document> Sorter::take(uint64_t skip) {
  cutToKeep();
  std::sort(entries_.begin(), entries_.end());
  std::vector<doc::Document> documents;
  for (uint64_t i = skip; i < entries_.size(); ++i) {
    documents.push_back(doc::Document::fromTrusted(std::move(entries_[i].document)));
  }
  return documents;
}

}  // namespace mb::store::embedded
