#include "webhooks/health.h"

namespace mb::webhooks {

int Health::limitOf(store::ProjectNo project, const std::string& hookId) const {
  const std::scoped_lock lock(mutex_);
  const bool* accepted = accepted_.find(hookId);
  if (accepted != nullptr && *accepted) return kInFlight;
  const auto ofProject = doubtfulOf_.find(project);
  const int doubtful = ofProject == doubtfulOf_.end() ? 0 : ofProject->second;
  return doubtful_ < kPlaces / 2 && doubtful < kPlacesOfProject / 2 ? 1 : 0;
}

bool Health::begin(store::ProjectNo project, const std::string& hookId) {
  const std::scoped_lock lock(mutex_);
  const bool* accepted = accepted_.find(hookId);
  if (accepted != nullptr && *accepted) return false;
  ++doubtful_;
  ++doubtfulOf_[project];
  return true;
}

void Health::end(store::ProjectNo project, bool doubtful) {
  const std::scoped_lock lock(mutex_);
  if (!doubtful) return;
  --doubtful_;
  const auto ofProject = doubtfulOf_.find(project);
  if (--ofProject->second == 0) doubtfulOf_.erase(ofProject);
}

Health::Run::Run(Health& health, store::ProjectNo project, std::string hookId)
    : health_(health), project_(project), hookId_(std::move(hookId)), doubtful_(health.begin(project, hookId_)) {}

Health::Run::~Run() {
  health_.end(project_, doubtful_);
}

void Health::Run::ended(bool delivered) {
  const std::scoped_lock lock(health_.mutex_);
  health_.accepted_.put(hookId_, delivered);
}

}  // namespace mb::webhooks
