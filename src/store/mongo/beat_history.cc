#include "store/mongo/beat_history.h"

#include <algorithm>

namespace mb::store::mongo {

namespace {

using std::chrono::milliseconds;

// What lies between two beats counts up to this: what is longer is a time in which the database was away, or a step of
// its clock. More than beats of a database under load are apart, and far below the silence that ends an instance.
constexpr milliseconds kMaxStep{2000};
constexpr size_t kMaxInstances = 1000;

}  // namespace

BeatHistory::Instance& BeatHistory::of(std::string_view instance) {
  const auto known = instances_.find(instance);
  if (known != instances_.end()) return known->second;
  // One that is not known counts as silent for as long or longer.
  if (instances_.size() >= kMaxInstances) {
    std::erase_if(instances_, [&](const auto& each) { return shown_ - each.second.last > kAlive; });
  }
  return instances_.emplace(instance, Instance()).first->second;
}

bool BeatHistory::note(std::string_view instance, const Beat& beat) {
  if (beat.at) {
    if (at_) shown_ += std::clamp(milliseconds(beat.at->ms - at_->ms), milliseconds(0), kMaxStep);
    at_ = beat.at;
  }
  Instance& its = of(instance);
  its.last = shown_;
  its.number = beat.number.value_or(its.number);
  its.ended = its.ended || beat.ended;
  return beat.wakes && std::exchange(its.wakes, *beat.wakes) != *beat.wakes;
}

void BeatHistory::noteRow(std::string_view instance, const Beat& beat) {
  const bool isKnown = instances_.contains(instance);
  Instance& its = of(instance);
  if (!isKnown || (beat.number && its.number != *beat.number)) its.last = shown_;
  its.number = beat.number.value_or(its.number);
  its.ended = its.ended || beat.ended;
}

bool BeatHistory::hasEnded(std::string_view instance) const {
  const auto found = instances_.find(instance);
  return found != instances_.end() && found->second.ended;
}

milliseconds BeatHistory::silence(std::string_view instance) const {
  const auto found = instances_.find(instance);
  return found == instances_.end() ? shown_ : shown_ - found->second.last;
}

std::vector<std::string> BeatHistory::silentFor(milliseconds time) const {
  std::vector<std::string> silent;
  for (const auto& [name, its] : instances_) {
    if (!its.ended && shown_ - its.last > time) silent.push_back(name);
  }
  return silent;
}

}  // namespace mb::store::mongo
