#include "jobs/buffered_jobs.h"

namespace mb::jobs {

std::optional<std::string> BufferedJobs::enter(const FairnessKey& fairnessKey, std::string_view place) {
  auto full = fullPart(fairnessKey, place);
  if (!full) enterRetry(fairnessKey);
  return full;
}

std::optional<std::string> BufferedJobs::fullPart(const FairnessKey& fairnessKey, std::string_view place) {
  if (fairnessKey.grouped() && isFull(fairnessKey.all(), kOfGroup, place)) return fairnessKey.all();
  if (isFull(fairnessKey.ofProject(), kOfProject, place)) return std::string(fairnessKey.ofProject());
  if (isFull(fairnessKey.ofKind(), kOfKind, place)) return std::string(fairnessKey.ofKind());
  return std::nullopt;
}

void BufferedJobs::enterRetry(const FairnessKey& fairnessKey) {
  if (fairnessKey.grouped()) add(fairnessKey.all());
  add(fairnessKey.ofProject());
  add(fairnessKey.ofKind());
}

void BufferedJobs::leave(const FairnessKey& fairnessKey) {
  if (fairnessKey.grouped()) remove(fairnessKey.all(), kOfGroup);
  remove(fairnessKey.ofProject(), kOfProject);
  remove(fairnessKey.ofKind(), kOfKind);
}

std::optional<BufferedJobs::Filling> BufferedJobs::nextToFill() {
  if (fillOrder_.empty()) return std::nullopt;
  auto next = toFill_.extract(fillOrder_.front());
  fillOrder_.pop_front();
  return Filling{std::move(next.key()), std::move(next.mapped())};
}

void BufferedJobs::requestFill(Filling part) {
  if (const auto waits = toFill_.find(part.prefix); waits != toFill_.end()) {
    if (part.from < waits->second) waits->second = std::move(part.from);
    return;
  }
  if (toFill_.size() >= kMaxToFill) return;
  fillOrder_.push_back(part.prefix);
  toFill_.emplace(std::move(part.prefix), std::move(part.from));
}

void BufferedJobs::add(std::string_view prefix) {
  const auto part = parts_.find(prefix);
  if (part != parts_.end()) {
    ++part->second.jobs;
  } else {
    parts_.emplace(prefix, Part{1, {}});
  }
}

void BufferedJobs::remove(std::string_view prefix, size_t capacity) {
  const auto part = parts_.find(prefix);
  --part->second.jobs;
  if (!part->second.from.empty() && part->second.jobs <= capacity / 4) {
    requestFill({std::string(prefix), std::exchange(part->second.from, {})});
  }
  if (part->second.jobs == 0) parts_.erase(part);
}

bool BufferedJobs::isFull(std::string_view prefix, size_t capacity, std::string_view place) {
  const auto part = parts_.find(prefix);
  if (part == parts_.end() || part->second.jobs < capacity) return false;
  if (part->second.from.empty() || place < part->second.from) part->second.from = place;
  return true;
}

}  // namespace mb::jobs
