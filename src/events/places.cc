#include "events/places.h"

#include <utility>

namespace mb::events {

Cursor Cursor::of(const CursorRecord& record) {
  Cursor cursor;
  cursor.known = true;
  cursor.projectId = record.projectId;
  cursor.position = cursor.stored = static_cast<uint64_t>(record.position);
  cursor.made = record.made;
  cursor.generation = record.generation;
  cursor.storedAt = std::chrono::steady_clock::now();
  return cursor;
}

std::optional<uint64_t> Places::keptAfter(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  if (!loaded_) return 0;
  const auto found = places_.find(project);
  if (found == places_.end()) return std::nullopt;
  return found->second.cursor.stored;
}

void Places::loaded(store::ProjectNo project, Cursor cursor) {
  const std::scoped_lock lock(mutex_);
  places_[project].cursor = std::move(cursor);
}

void Places::allLoaded() {
  const std::scoped_lock lock(mutex_);
  loaded_ = true;
}

void Places::join(store::ProjectNo project, uint64_t after) {
  const std::scoped_lock lock(mutex_);
  const auto [place, isNew] = places_.try_emplace(project);
  if (isNew) place->second.cursor.position = place->second.cursor.stored = after;
}

// True when a worker is to be started.
bool Places::queue(store::ProjectNo project, Place& place) {
  if (stopping_) return false;
  if (place.running) place.again = true;
  if (place.running || place.queued) return false;
  place.queued = true;
  turns_.push_back(project);
  if (workers_ == maxWorkers_) return false;
  ++workers_;
  return true;
}

bool Places::wake(store::ProjectNo project) {
  const std::scoped_lock lock(mutex_);
  const auto found = places_.find(project);
  return found != places_.end() && queue(project, found->second);
}

bool Places::renew(store::ProjectNo project, uint64_t after) {
  const std::scoped_lock lock(mutex_);
  const auto [place, isNew] = places_.try_emplace(project);
  if (isNew) place->second.cursor.position = place->second.cursor.stored = after;
  place->second.renewed = true;
  return queue(project, place->second);
}

std::optional<store::ProjectNo> Places::nextTurn() {
  const std::scoped_lock lock(mutex_);
  if (stopping_ || turns_.empty()) {
    --workers_;
    return std::nullopt;
  }
  const store::ProjectNo project = turns_.front();
  turns_.pop_front();
  Place& place = places_[project];
  place.queued = false;
  place.running = true;
  suspended_.erase(project);
  if (std::exchange(place.renewed, false)) place.cursor.known = false;
  return project;
}

Cursor Places::cursorOf(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  const auto found = places_.find(project);
  return found == places_.end() ? Cursor() : found->second.cursor;
}

void Places::move(store::ProjectNo project, const Cursor& cursor) {
  const std::scoped_lock lock(mutex_);
  places_[project].cursor = cursor;
}

void Places::suspendedAsOf(store::ProjectNo project, uint64_t epoch) {
  const std::scoped_lock lock(mutex_);
  suspended_[project] = epoch;
}

std::vector<std::pair<store::ProjectNo, uint64_t>> Places::suspendedBehind(store::ProjectNo after, size_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<store::ProjectNo, uint64_t>> found;
  for (auto at = suspended_.upper_bound(after); at != suspended_.end() && found.size() < limit; ++at) {
    found.push_back(*at);
  }
  return found;
}

void Places::endTurn(store::ProjectNo project, bool again) {
  const std::scoped_lock lock(mutex_);
  const auto found = places_.find(project);
  if (found == places_.end()) return;
  Place& place = found->second;
  place.running = false;
  if (std::exchange(place.again, false) || again) {
    place.queued = true;
    turns_.push_back(project);
  }
}

void Places::leave(store::ProjectNo project) {
  const std::scoped_lock lock(mutex_);
  const auto found = places_.find(project);
  if (found == places_.end()) return;
  if (!found->second.again) {
    places_.erase(found);
    return;
  }
  Place& place = found->second;
  place.cursor.known = place.running = place.again = false;
  place.queued = true;
  turns_.push_back(project);
}

void Places::stop() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  turns_.clear();
}

bool Places::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stopping_;
}

}  // namespace mb::events
