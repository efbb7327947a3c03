#include "store/embedded/shared_arrays.h"

#include "store/embedded/value_key.h"

namespace mb::store::embedded {

using doc::BsonType;
using doc::DocumentView;
using doc::ValueView;

namespace {

bool isPosition(std::string_view step) {
  return !step.empty() && step.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

SharedArrays::Outcome SharedArrays::collect(DocumentView document, size_t limit) {
  limit_ = limit;
  keys_.clear();
  const Outcome outcome = follow(document, std::vector<Place>(paths_.size()));
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return outcome;
}

void SharedArrays::settle(Place& place, size_t field, const ValueView* value) const {
  place.settled = true;
  if (value) {
    appendValueKey(place.encoded, *value, descending_(field));
  } else {
    appendNullKey(place.encoded, descending_(field));
  }
}

bool SharedArrays::meetsArray(DocumentView at, size_t field, Place& place, DocumentView& array) const {
  const auto& steps = paths_[field].steps();
  while (true) {
    const auto value = at.find(steps[place.step]);
    const bool last = ++place.step == steps.size();
    if (value && value->type() == BsonType::array) {
      array = value->asDocument();
      return true;
    }
    if (value && !last && value->type() == BsonType::document) {
      at = value->asDocument();
      continue;
    }
    settle(place, field, last && value ? &*value : nullptr);
    return false;
  }
}

SharedArrays::Outcome SharedArrays::follow(DocumentView at, std::vector<Place> places) {
  std::vector<Met> met;
  for (size_t field = 0; field < places.size(); ++field) {
    Place& place = places[field];
    DocumentView array;
    if (!place.settled && meetsArray(at, field, place, array)) met.push_back({field, array});
  }
  return met.empty() ? add(places) : expand(met, places);
}

SharedArrays::Outcome SharedArrays::expand(const std::vector<Met>& met, const std::vector<Place>& places) {
  const DocumentView array = met.front().array;
  for (const Met& each : met) {
    const auto& steps = paths_[each.field].steps();
    const size_t next = places[each.field].step;
    const bool same = each.array.bytes().data() == array.bytes().data();
    if (!same || (next < steps.size() && isPosition(steps[next]))) return Outcome::apart;
  }
  bool any = false;
  for (const doc::Element& element : array) {
    any = true;
    std::vector<Place> inside = places;
    const bool document = element.value.type() == BsonType::document;
    for (const Met& each : met) {
      const bool whole = places[each.field].step == paths_[each.field].steps().size();
      if (whole) settle(inside[each.field], each.field, &element.value);
      if (!whole && !document) settle(inside[each.field], each.field, nullptr);
    }
    const Outcome outcome = follow(document ? element.value.asDocument() : DocumentView(), std::move(inside));
    if (outcome != Outcome::ok) return outcome;
  }
  if (any) return Outcome::ok;
  std::vector<Place> none = places;
  for (const Met& each : met) {
    Place& place = none[each.field];
    if (place.step < paths_[each.field].steps().size()) {
      settle(place, each.field, nullptr);
      continue;
    }
    place.settled = true;
    appendEmptyArrayKey(place.encoded, descending_(each.field));
  }
  return add(none);
}

SharedArrays::Outcome SharedArrays::add(const std::vector<Place>& places) {
  std::string key;
  for (const Place& place : places) key += place.encoded;
  keys_.push_back(std::move(key));
  if (keys_.size() <= 2 * limit_) return Outcome::ok;
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return keys_.size() <= limit_ ? Outcome::ok : Outcome::tooMany;
}

}  // namespace mb::store::embedded
