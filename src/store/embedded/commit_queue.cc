#include "store/embedded/commit_queue.h"

namespace mb::store::embedded {

bool CommitQueue::admit(const Commit& commit) {
  const size_t writes = writes_.fetch_add(1, std::memory_order_relaxed);
  const size_t bytes = bytes_.fetch_add(commit.bytes, std::memory_order_relaxed);
  if (writes < kQueueWrites && bytes < kQueueBytes) return true;
  done(1, commit.bytes);
  return false;
}

void CommitQueue::done(size_t writes, size_t bytes) {
  writes_.fetch_sub(writes, std::memory_order_relaxed);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

void CommitQueue::submit(Commit& commit, Resumer<bool> resumer) {
  commit.resumer = std::move(resumer);
  commit.core = Cores::current();
  if (commit.core < 0 || commit.core >= cores_.count()) {
    commit.core = -1;
    Commit* one = &commit;
    enqueue({&one, 1});
    return;
  }
  auto& outbox = outboxes_.local().commits;
  outbox.push_back(&commit);
  // The flush runs after the handlers that are ready now, so their writes are submitted together with this one.
  if (outbox.size() == 1) asio::post(cores_.at(commit.core), [this, core = commit.core] { flush(core); });
}

void CommitQueue::flush(int core) {
  auto& outbox = outboxes_.at(core).commits;
  enqueue(outbox);
  outbox.clear();
}

void CommitQueue::enqueue(std::span<Commit* const> commits) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    pending_.insert(pending_.end(), commits.begin(), commits.end());
    wake = std::exchange(idle_, false);
  }
  if (wake) wake_.notify_one();
}

void CommitQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  wake_.notify_one();
}

bool CommitQueue::takeGroup(std::vector<Commit*>& group) {
  group.clear();
  const bool left = normal_.front() || low_.front();
  {
    std::unique_lock lock(mutex_);
    while (!left && pending_.empty() && !stopping_) {
      idle_ = true;
      wake_.wait(lock);
    }
    idle_ = false;
    group.swap(pending_);
  }
  size_t bytes = 0;
  for (const Commit* commit : group) bytes += commit->bytes;
  if (!left && group.size() <= kGroupWrites && bytes <= kGroupBytes) return !group.empty();
  for (Commit* commit : group) (commit->priority == WritePriority::normal ? normal_ : low_).push(*commit);
  takeRoundRobin(group);
  return true;
}

void CommitQueue::takeRoundRobin(std::vector<Commit*>& group) {
  group.clear();
  size_t bytes = 0;
  const auto take = [&](RoundRobinQueue& queue) {
    Commit* next = queue.front();
    if (!next || group.size() == kGroupWrites) return false;
    if (!group.empty() && bytes + next->bytes > kGroupBytes) return false;
    bytes += next->bytes;
    group.push_back(next);
    queue.pop();
    return true;
  };
  // One low-priority write is taken even if normal ones fill each group: it may hold locks that other writes need.
  take(low_);
  while (take(normal_)) {
  }
  while (take(low_)) {
  }
}

void CommitQueue::RoundRobinQueue::push(Commit& commit) {
  auto& own = waiting_[commit.project];
  if (own.empty()) order_.push_back(commit.project);
  own.push_back(&commit);
}

Commit* CommitQueue::RoundRobinQueue::front() {
  return order_.empty() ? nullptr : waiting_[order_.front()].front();
}

void CommitQueue::RoundRobinQueue::pop() {
  ProjectState* project = order_.front();
  order_.pop_front();
  auto& own = waiting_[project];
  own.pop_front();
  if (own.empty()) {
    waiting_.erase(project);
  } else {
    order_.push_back(project);
  }
}

}  // namespace mb::store::embedded
