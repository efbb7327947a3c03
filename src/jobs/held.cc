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
  if (turns_.empty()) return std::nullopt;
  auto next = toFill_.extract(turns_.front());
  turns_.pop_front();
  return Filling{std::move(next.key()), std::move(next.mapped())};
}

void Held::fillOn(Filling part) {
  if (const auto waits = toFill_.find(part.prefix); waits != toFill_.end()) {
    if (part.from < waits->second) waits->second = std::move(part.from);
    return;
  }
  if (toFill_.size() >= kMaxToFill) return;
  turns_.push_back(part.prefix);
  toFill_.emplace(std::move(part.prefix), std::move(part.from));
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
    fillOn({std::string(prefix), std::exchange(part->second.from, {})});
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
