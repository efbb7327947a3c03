#include "own_changes/copier.h"

#include <algorithm>

#include "base/log.h"
#include "own_changes/follower.h"

namespace mb::own_changes {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kEndLimit{5};
constexpr FairPoolLimits kPoolLimits{.waitingOfProject = 2, .waiting = 4096, .runningOfProject = 1};
constexpr std::chrono::milliseconds kMinWait{20};
constexpr std::chrono::milliseconds kMaxWait{500};

}  // namespace

Followers::Followers(CopierDeps given) : deps(given), threads("streams", kStreamThreads, kPoolLimits) {}

bool Followers::claim(store::ProjectNo project) {
  const std::lock_guard lock(mutex_);
  return projects_.insert(project).second;
}

void Followers::leave(store::ProjectNo project) {
  const std::lock_guard lock(mutex_);
  projects_.erase(project);
}

std::chrono::milliseconds Followers::streamWait() {
  const std::lock_guard lock(mutex_);
  const auto share = 1000ms * kStreamThreads / static_cast<int64_t>(std::max<size_t>(projects_.size(), 1));
  return std::clamp(share, kMinWait, kMaxWait);
}

Copier::Copier(CopierDeps deps) : followers_(std::make_shared<Followers>(deps)) {}

Copier::~Copier() {
  stop();
}

void Copier::start(const Executor& executor, TaskGroup& tasks) {
  passes_.start(executor, tasks, {.interval = kLookEvery, .firstAfter = 0ms}, [this] { return look(); });
}

void Copier::stopPasses() {
  passes_.stop();
}

Async<void> Copier::look() {
  Cores& cores = followers_->deps.cores;
  for (auto& database : followers_->deps.databases.open()) {
    const store::ProjectNo project = database->project();
    if (!followers_->claim(project)) continue;
    const int core = static_cast<int>(project % static_cast<unsigned>(cores.count()));
    auto follower = std::make_shared<Follower>(followers_, std::move(database));
    const bool spawned = followers_->tasks.spawn(cores.at(core).get_executor(), Follower::run(std::move(follower)));
    if (!spawned) followers_->leave(project);
  }
  // Those that wait notice that their database was closed.
  followers_->wake.notifyAll();
  co_return;
}

void Copier::stop() {
  passes_.stop();
  if (followers_->stopping.exchange(true)) return;
  followers_->wake.notifyAll();
  followers_->threads.stop();
  if (!followers_->tasks.closeAndWait(kEndLimit)) logWarn("the copying of changes did not end in time");
}

}  // namespace mb::own_changes
