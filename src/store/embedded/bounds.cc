#include "store/embedded/bounds.h"

#include "document/value_order.h"
#include "store/embedded/keys.h"
#include "store/value_key.h"

namespace mb::store::embedded {

namespace {

// The points of a field multiply the prefixes up to this number; a field that exceeds it ends the bounds.
constexpr size_t kMaxPrefixes = 1000;

using Kind = Condition::Kind;

bool isBound(const Condition& condition) {
  return condition.kind == Kind::lower || condition.kind == Kind::upper || condition.kind == Kind::prefix;
}

uint8_t classOf(const Condition& condition) {
  return condition.kind == Kind::prefix ? keyClass(doc::BsonType::string) : keyClass(condition.values.front().type());
}

// The encoding of a bound; for a truncated value, the common prefix of all values that begin like it.
std::string encodedBound(doc::ValueView value, bool descending, bool& cut) {
  std::string encoded;
  cut = appendValueKey(encoded, value, descending);
  if (cut) encoded.resize(kFieldCap);
  return encoded;
}

void raise(std::string& from, std::string bound) {
  if (bound > from) from = std::move(bound);
}
void lowerTo(std::string& to, std::string bound) {
  if (to.empty() || bound < to) to = std::move(bound);
}

// NaN sorts below all numbers, but is not less than any of them.
void skipNaN(std::string& from, std::string& to, uint8_t keyClass, bool descending) {
  if (keyClass != store::keyClass(doc::BsonType::real)) return;
  std::string encoded;
  appendNaNKey(encoded, descending);
  descending ? lowerTo(to, std::move(encoded)) : raise(from, successor(std::move(encoded)));
}

}  // namespace

IndexBounds::IndexBounds(ProjectNo project, const Index& index, const std::vector<Condition>& conditions,
                         std::vector<bool> met)
    : index_(index),
      conditions_(conditions),
      multikey_(index.traits->multikey.load()),
      met_(std::move(met)),
      prefixes_{rangePrefix(project, index.number)} {
  size_t field = 0;
  while (field < index.paths.size() && !sharesArray(field) && takePoints(field)) ++field;
  pointFields_ = field;
  if (field < index.paths.size()) {
    if (!sharesArray(field)) takeInterval(field);
  } else if (!index.spec.unique) {
    takeIds();
  }
}

bool IndexBounds::sharesArray(size_t field) const {
  const auto several = [this](size_t which) { return (multikey_ >> which & 1) != 0; };
  for (size_t earlier = 0; earlier < field; ++earlier) {
    const bool same = index_.paths[earlier].steps().front() == index_.paths[field].steps().front();
    if (same && several(earlier) && several(field)) return true;
  }
  return false;
}

bool IndexBounds::takePoints(size_t field) {
  const Condition* best = nullptr;
  for (const Condition& condition : conditions_) {
    if (condition.kind != Kind::points || condition.path != index_.paths[field].dotted()) continue;
    if (!best || condition.values.size() < best->values.size()) best = &condition;
  }
  if (!best) return false;
  std::vector<std::string> encoded;
  bool cut = false;
  for (const doc::ValueView& value : best->values) {
    cut |= appendValueKey(encoded.emplace_back(), value, index_.descending(field));
  }
  std::sort(encoded.begin(), encoded.end());
  encoded.erase(std::unique(encoded.begin(), encoded.end()), encoded.end());
  if (field > 0 && prefixes_.size() * encoded.size() > kMaxPrefixes) return false;
  std::vector<std::string> longer;
  longer.reserve(prefixes_.size() * encoded.size());
  for (const std::string& prefix : prefixes_) {
    for (const std::string& value : encoded) longer.push_back(prefix + value);
  }
  prefixes_ = std::move(longer);
  fixedValues_.emplace_back();
  if (encoded.size() == 1 && (multikey_ >> field & 1) == 0) {
    fixed_ |= uint32_t{1} << field;
    fixedValues_.back() = std::move(encoded.front());
  }
  // Another condition on the same field may hold for another element of an array: it is evaluated on the document.
  if (best->provable && !cut) met_[static_cast<size_t>(best - conditions_.data())] = true;
  return true;
}

// On a field with several values in a document, different values may satisfy different bounds, so only one can be used,
// unless the bounds apply to one element.
bool IndexBounds::usable(const Condition& condition, size_t field, const Condition* first) const {
  if (!isBound(condition) || condition.path != index_.paths[field].dotted()) return false;
  if (!first) return true;
  if (classOf(condition) != classOf(*first)) return false;
  const bool multikey = (multikey_ >> field & 1) != 0;
  return !multikey || (condition.element && condition.element == first->element);
}

void IndexBounds::takeInterval(size_t field) {
  const bool descending = index_.descending(field);
  const Condition* first = nullptr;
  Interval interval;
  std::vector<size_t> proved;
  for (size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    if (!usable(condition, field, first)) continue;
    if (!first) {
      first = &condition;
      appendClass(interval.from, classOf(condition), descending);
      interval.to = successor(interval.from);
      skipNaN(interval.from, interval.to, classOf(condition), descending);
    }
    bool cut = false;
    std::string encoded;
    if (condition.kind == Kind::prefix) {
      appendStringPrefix(encoded, condition.prefix, descending);
      raise(interval.from, encoded);
      lowerTo(interval.to, successor(std::move(encoded)));
      if (condition.provable && condition.prefix.size() < kFieldCap / 2) proved.push_back(i);
      continue;
    }
    encoded = encodedBound(condition.values.front(), descending, cut);
    const bool lower = condition.kind == Kind::lower;
    // Values equal to the bound are between `encoded` and its successor.
    const bool keepsEqual = condition.inclusive || cut;
    if (lower != descending) {
      raise(interval.from, keepsEqual ? encoded : successor(encoded));
    } else {
      lowerTo(interval.to, keepsEqual ? successor(encoded) : encoded);
    }
    if (condition.provable && !cut) proved.push_back(i);
  }
  if (!first) return;
  for (const size_t i : proved) met_[i] = true;
  interval_ = std::move(interval);
}

// After points for every field the entries are in the order of ids, so bounds on `id` apply to them too.
void IndexBounds::takeIds() {
  Interval interval;
  bool any = false;
  for (size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    if (condition.path != "id" || condition.element ||
        (condition.kind != Kind::lower && condition.kind != Kind::upper)) {
      continue;
    }
    if (condition.values.front().type() != doc::BsonType::string) continue;
    std::string id(condition.values.front().asString());
    if (condition.inclusive == (condition.kind == Kind::upper)) id += '\0';
    condition.kind == Kind::lower ? raise(interval.from, std::move(id)) : lowerTo(interval.to, std::move(id));
    met_[i] = any = true;
  }
  if (any) interval_ = std::move(interval);
}

bool IndexBounds::mayRepeat() const {
  const uint32_t points = pointFields_ >= 32 ? UINT32_MAX : (uint32_t{1} << pointFields_) - 1;
  return (multikey_ & ~points) != 0 || ((multikey_ & points) != 0 && prefixes_.size() > 1);
}

std::vector<KeyRange> IndexBounds::ranges() const {
  std::vector<KeyRange> ranges;
  ranges.reserve(prefixes_.size());
  for (const std::string& prefix : prefixes_) {
    KeyRange range{prefix, successor(prefix), static_cast<uint32_t>(prefix.size())};
    if (interval_) {
      range.from += interval_->from;
      if (!interval_->to.empty()) range.to = prefix + interval_->to;
    }
    if (range.from < range.to) ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace mb::store::embedded
