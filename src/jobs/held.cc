#include "jobs/held.h"

namespace mb::jobs {

std::optional<std::string> Held::enter(const Lane& lane, std::string_view place) {
  auto full = turnsAway(lane, place);
  if (!full) enterAgain(lane);
  return full;
}

std::optional<std::string> Held::turnsAway(const Lane& lane, std::string_view place) {
  if (lane.grouped() && isFull(lane.all(), kOfGroup, place)) return lane.all();
  if (isFull(lane.ofProject(), kOfProject, place)) return std::string(lane.ofProject());
  if (isFull(lane.ofKind(), kOfKind, place)) return std::string(lane.ofKind());
  return std::nullopt;
}

void Held::enterAgain(const Lane& lane) {
  if (lane.grouped()) add(lane.all());
  add(lane.ofProject());
  add(lane.ofKind());
}

void Held::leave(const Lane& lane) {
  if (lane.grouped()) takeAway(lane.all(), kOfGroup);
  takeAway(lane.ofProject(), kOfProject);
  takeAway(lane.ofKind(), kOfKind);
}

std::optional<Held::Filling> Held::nextToFill() {
  if (toFill_.empty()) return std::nullopt;
  Filling next = std::move(toFill_.back());
  toFill_.pop_back();
  return next;
}

void Held::add(std::string_view prefix) {
  const auto part = parts_.find(prefix);
  if (part != parts_.end()) {
    ++part->second.held;
  } else {
    parts_.emplace(prefix, Part{1, {}});
  }
}

void Held::takeAway(std::string_view prefix, size_t room) {
  const auto part = parts_.find(prefix);
  --part->second.held;
  if (!part->second.from.empty() && part->second.held <= room / 4) {
    toFill_.push_back({std::string(prefix), std::exchange(part->second.from, {})});
  }
  if (part->second.held == 0) parts_.erase(part);
}

bool Held::isFull(std::string_view prefix, size_t room, std::string_view place) {
  const auto part = parts_.find(prefix);
  if (part == parts_.end() || part->second.held < room) return false;
  if (part->second.from.empty() || place < part->second.from) part->second.from = place;
  return true;
}

}  // namespace mb::jobs
