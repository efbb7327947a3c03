#include "store/own/databases.h"

#include <algorithm>

namespace mb::store::own {

namespace {

constexpr std::chrono::seconds kHousekeepingInterval{10};
constexpr size_t kWaitingInAll = 4096;

}  // namespace

Databases::Databases(const HostGuard& guard, size_t maxConnected) : guard_(guard), maxConnected_(maxConnected) {}

Databases::~Databases() {
  stop();
}

std::shared_ptr<Database> Databases::find(ProjectNo project) const {
  if (!any()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(project);
  if (found == databases_.end()) return nullptr;
  found->second.used = std::chrono::steady_clock::now();
  return found->second.database;
}

std::vector<std::shared_ptr<Database>> Databases::open() const {
  std::vector<std::shared_ptr<Database>> all;
  if (!any()) return all;
  const std::lock_guard lock(mutex_);
  for (const auto& [_, entry] : databases_) {
    if (!entry.database->isStopped()) all.push_back(entry.database);
  }
  return all;
}

void Databases::set(ProjectNo project, DatabaseConfig config) {
  replace(project, std::move(config), true);
}

void Databases::close(ProjectNo project) {
  replace(project, {}, false);
}

FairPool& Databases::threads() {
  if (!threads_) {
    threads_ = std::make_unique<FairPool>(
        "own", kThreads,
        FairPoolLimits{.waitingOfProject = kWaiting, .waiting = kWaitingInAll, .runningOfProject = kConnections});
    housekeeping_ = std::thread([this] { housekeepingLoop(); });
  }
  return *threads_;
}

void Databases::replace(ProjectNo project, DatabaseConfig config, bool isOpen) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const auto found = databases_.find(project);
    const bool isKnown = found != databases_.end();
    if (isKnown && found->second.isOpen == isOpen && found->second.database->config() == config) return;
    auto database =
        std::make_shared<Database>(project, std::move(config), threads(), guard_, [this, project] { report(project); });
    if (!isOpen) database->stop();
    if (isKnown) {
      found->second.database->stop();
      replaced_.push_back(std::move(found->second.database));
      databases_.erase(found);
    }
    databases_.emplace(project, Entry{std::move(database), std::chrono::steady_clock::now(), isOpen});
    any_.store(true, std::memory_order_release);
  }
  wake_.notify_all();
}

void Databases::report(ProjectNo project) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const Time now = std::chrono::steady_clock::now();
    const auto [reported, isFirst] = reported_.try_emplace(project, Reported{now});
    if (!isFirst) {
      reported->second.again = true;
      return;
    }
  }
  changed_(project);
}

void Databases::reportKept() {
  std::vector<ProjectNo> kept;
  {
    const std::lock_guard lock(mutex_);
    const Time now = std::chrono::steady_clock::now();
    std::erase_if(reported_,
                  [&](const auto& each) { return !each.second.again && each.second.last + kProbePause <= now; });
    for (auto& [project, reported] : reported_) {
      if (reported.last + kProbePause > now) continue;
      kept.push_back(project);
      reported = Reported{now};
    }
  }
  for (const ProjectNo project : kept) changed_(project);
}

void Databases::keepHouse() {
  std::vector<std::shared_ptr<Database>> closed;
  std::vector<Entry> entries;
  {
    const std::lock_guard lock(mutex_);
    closed.swap(replaced_);
    for (const auto& [_, entry] : databases_) entries.push_back(entry);
  }
  for (const Entry& entry : entries) entry.database->closeUnused();
  std::erase_if(entries, [](const Entry& entry) { return !entry.database->hasIdle(); });
  std::ranges::sort(entries, std::greater(), &Entry::used);
  for (size_t i = maxConnected_; i < entries.size(); ++i) entries[i].database->closeIdle();
  for (const auto& database : closed) database->closeIdle();
}

void Databases::housekeepingLoop() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, kHousekeepingInterval, [this] { return stopping_ || !replaced_.empty(); });
      if (stopping_) return;
    }
    keepHouse();
    reportKept();
  }
}

void Databases::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [_, entry] : databases_) entry.database->stop();
  }
  wake_.notify_all();
  if (housekeeping_.joinable()) housekeeping_.join();
  if (threads_) threads_->stop();
}

}  // namespace mb::store::own
