#include "realtime/core_hub.h"

#include "base/flag_reset.h"
#include "realtime/caller_refresh.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

constexpr std::chrono::seconds kCheckInterval{1};

}  // namespace

CoreHub::CoreHub(Shared& shared, int core)
    : shared_(shared), core_(core), positions_(shared.deps.master), timer_(executor()) {}

CoreHub::~CoreHub() = default;

void CoreHub::start() {
  asio::post(executor(), [this] { rest(); });
}

void CoreHub::stop() {
  asio::post(executor(), [this] {
    stopped_ = true;
    timer_.cancel();
  });
}

void CoreHub::rest() {
  if (stopped_) return;
  timer_.expires_after(kCheckInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    checkSockets();
    rest();
  });
}

void CoreHub::add(Session& session) {
  session.placeInHub() = sessions_.size();
  sessions_.push_back(&session);
}

void CoreHub::remove(Session& session) {
  Session* last = sessions_.back();
  sessions_[session.placeInHub()] = last;
  last->placeInHub() = session.placeInHub();
  sessions_.pop_back();
}

std::shared_ptr<ProjectHub> CoreHub::project(store::ProjectNo number) {
  std::weak_ptr<ProjectHub>& known = projects_[number];
  auto hub = known.lock();
  if (!hub) known = hub = std::make_shared<ProjectHub>(*this, number);
  return hub;
}

void CoreHub::receive(store::ProjectNo project, ProjectReaderPtr from, LogBatchPtr batch) {
  const auto found = projects_.find(project);
  const auto hub = found == projects_.end() ? nullptr : found->second.lock();
  if (hub) {
    hub->receive(std::move(from), std::move(batch));
  } else {
    shared_.feeds->done(from, core_);
  }
}

void CoreHub::checkSockets() {
  ++tick_;
  std::erase_if(projects_, [](const auto& project) { return project.second.expired(); });
  std::vector<std::shared_ptr<Session>> stale;
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i]->checkTimeouts()) stale.push_back(sessions_[i]->shared_from_this());
  }
  if (stale.empty() || refreshing_) return;
  refreshing_ = true;
  if (!shared_.background.spawn(executor(), refreshAll(this, std::move(stale)))) refreshing_ = false;
}

Async<void> CoreHub::refreshAll(CoreHub* self, std::vector<std::shared_ptr<Session>> sessions) {
  const FlagReset refreshing{self->refreshing_};
  co_await refreshCallers(self, std::move(sessions));
}

}  // namespace mb::realtime
