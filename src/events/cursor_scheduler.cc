#include "events/cursor_scheduler.h"

#include <utility>

namespace mb::events {

namespace {

// Each change of a project wakes it in all processes.
constexpr std::chrono::seconds kLeasePause{1};

}  // namespace

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

void CursorScheduler::loaded(store::ProjectNo project, Cursor cursor) {
  const std::scoped_lock lock(mutex_);
  entries_[project].cursor = std::move(cursor);
}

// True when the caller must start a worker.
bool CursorScheduler::queue(store::ProjectNo project, Entry& entry) {
  if (stopping_) return false;
  if (entry.running) entry.again = true;
  if (entry.running || entry.queued) return false;
  entry.queued = true;
  queue_.push_back(project);
  if (workers_ == maxWorkers_) return false;
  ++workers_;
  return true;
}

bool CursorScheduler::wake(store::ProjectNo project) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  return found != entries_.end() && queue(project, found->second);
}

bool CursorScheduler::renew(store::ProjectNo project, uint64_t after) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, isNew] = entries_.try_emplace(project);
  if (isNew) entry->second.cursor.position = entry->second.cursor.stored = after;
  entry->second.renewed = true;
  return queue(project, entry->second);
}

std::optional<store::ProjectNo> CursorScheduler::nextProject() {
  const std::scoped_lock lock(mutex_);
  if (stopping_ || queue_.empty()) {
    --workers_;
    return std::nullopt;
  }
  const store::ProjectNo project = queue_.front();
  queue_.pop_front();
  Entry& entry = entries_[project];
  entry.queued = false;
  entry.running = true;
  suspended_.erase(project);
  if (std::exchange(entry.renewed, false)) entry.cursor.known = false;
  return project;
}

Cursor CursorScheduler::cursorOf(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  return found == entries_.end() ? Cursor() : found->second.cursor;
}

void CursorScheduler::move(store::ProjectNo project, const Cursor& cursor) {
  const std::scoped_lock lock(mutex_);
  entries_[project].cursor = cursor;
}

void CursorScheduler::suspendedAsOf(store::ProjectNo project, uint64_t epoch) {
  const std::scoped_lock lock(mutex_);
  suspended_[project] = epoch;
}

std::vector<std::pair<store::ProjectNo, uint64_t>> CursorScheduler::suspendedBehind(store::ProjectNo after,
                                                                                    size_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<store::ProjectNo, uint64_t>> found;
  for (auto at = suspended_.upper_bound(after); at != suspended_.end() && found.size() < limit; ++at) {
    found.push_back(*at);
  }
  return found;
}

void CursorScheduler::endStep(store::ProjectNo project, bool again) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.running = false;
  if (std::exchange(entry.again, false) || again) {
    entry.queued = true;
    queue_.push_back(project);
  }
}

void CursorScheduler::leave(store::ProjectNo project) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  if (found == entries_.end()) return;
  if (!found->second.again) {
    entries_.erase(found);
    return;
  }
  Entry& entry = found->second;
  entry.cursor.known = entry.running = entry.again = false;
  entry.queued = true;
  queue_.push_back(project);
}

bool CursorScheduler::adopt(store::ProjectNo project, Cursor cursor) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, isNew] = entries_.try_emplace(project);
  if (isNew) entry->second.cursor = std::move(cursor);
  return !entry->second.leased;
}

bool CursorScheduler::isLeased(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  return found != entries_.end() && found->second.leased;
}

bool CursorScheduler::mayLease(store::ProjectNo project) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  return found != entries_.end() && std::chrono::steady_clock::now() >= found->second.leaseAfter;
}

void CursorScheduler::setLeased(store::ProjectNo project, bool leased) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  // Another process may have moved it: its row is read again.
  entry.cursor.known = entry.cursor.known && entry.leased == leased;
  entry.leased = leased;
  if (!leased) entry.leaseAfter = std::chrono::steady_clock::now() + kLeasePause;
}

std::vector<store::ProjectNo> CursorScheduler::leased() const {
  const std::scoped_lock lock(mutex_);
  std::vector<store::ProjectNo> found;
  for (const auto& [project, entry] : entries_) {
    if (entry.leased) found.push_back(project);
  }
  return found;
}

void CursorScheduler::stop() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  queue_.clear();
}

bool CursorScheduler::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stopping_;
}

}  // namespace mb::events
