#include "store/shared_arrays.h"

#include "store/value_key.h"

namespace mb::store {

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
  const Outcome outcome = follow(document, std::vector<PathState>(paths_.size()));
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return outcome;
}

void SharedArrays::finish(PathState& state, size_t field, const ValueView* value) const {
  state.finished = true;
  if (value) {
    appendValueKey(state.encoded, *value, descending_(field));
  } else {
    appendNullKey(state.encoded, descending_(field));
  }
}

bool SharedArrays::reachesArray(DocumentView at, size_t field, PathState& state, DocumentView& array) const {
  const auto& steps = paths_[field].steps();
  while (true) {
    const auto value = at.find(steps[state.step]);
    const bool last = ++state.step == steps.size();
    if (value && value->type() == BsonType::array) {
      array = value->asDocument();
      return true;
    }
    if (value && !last && value->type() == BsonType::document) {
      at = value->asDocument();
      continue;
    }
    finish(state, field, last && value ? &*value : nullptr);
    return false;
  }
}

SharedArrays::Outcome SharedArrays::follow(DocumentView at, std::vector<PathState> states) {
  std::vector<ArrayField> arrays;
  for (size_t field = 0; field < states.size(); ++field) {
    PathState& state = states[field];
    DocumentView array;
    if (!state.finished && reachesArray(at, field, state, array)) arrays.push_back({field, array});
  }
  return arrays.empty() ? add(states) : expand(arrays, states);
}

SharedArrays::Outcome SharedArrays::expand(const std::vector<ArrayField>& arrays,
                                           const std::vector<PathState>& states) {
  const DocumentView array = arrays.front().array;
  for (const ArrayField& each : arrays) {
    const auto& steps = paths_[each.field].steps();
    const size_t next = states[each.field].step;
    const bool same = each.array.bytes().data() == array.bytes().data();
    if (!same || (next < steps.size() && isPosition(steps[next]))) return Outcome::apart;
  }
  bool any = false;
  for (const doc::Element& element : array) {
    any = true;
    std::vector<PathState> inside = states;
    const bool document = element.value.type() == BsonType::document;
    for (const ArrayField& each : arrays) {
      const bool whole = states[each.field].step == paths_[each.field].steps().size();
      if (whole) finish(inside[each.field], each.field, &element.value);
      if (!whole && !document) finish(inside[each.field], each.field, nullptr);
    }
    const Outcome outcome = follow(document ? element.value.asDocument() : DocumentView(), std::move(inside));
    if (outcome != Outcome::ok) return outcome;
  }
  if (any) return Outcome::ok;
  std::vector<PathState> none = states;
  for (const ArrayField& each : arrays) {
    PathState& state = none[each.field];
    if (state.step < paths_[each.field].steps().size()) {
      finish(state, each.field, nullptr);
      continue;
    }
    state.finished = true;
    appendEmptyArrayKey(state.encoded, descending_(each.field));
  }
  return add(none);
}

SharedArrays::Outcome SharedArrays::add(const std::vector<PathState>& states) {
  std::string key;
  for (const PathState& state : states) key += state.encoded;
  keys_.push_back(std::move(key));
  if (keys_.size() <= 2 * limit_) return Outcome::ok;
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return keys_.size() <= limit_ ? Outcome::ok : Outcome::tooMany;
}

}  // namespace mb::store
