#include "store/mongo/write_queues.h"

#include <boost/asio/this_coro.hpp>

#include "store/configuration_limits.h"

namespace mb::store::mongo {

namespace {

// Conditions are checked on what is stored, and so is the size of a configuration.
bool runsAlone(const PendingWrite& write) {
  if (!write.conditions.empty()) return true;
  if (!write.options.logged || write.options.bumpEpochs.empty() || isUpkeep(write.options.actor)) return false;
  return std::ranges::any_of(
      write.targets, [](const WriteTarget& target) { return configurationPart(target.collection.number) != nullptr; });
}

size_t bytesOf(const PendingWrite& write) {
  size_t bytes = 0;
  for (const Insert& each : write.inserts) bytes += each.document.size();
  return bytes;
}

}  // namespace

Error WriteQueues::busy() {
  return Error(ErrorCode::unavailable, "too many writes wait: try again");
}

Task<WriteOutcome> WriteQueues::write(ProjectNo project, Write write, WriteCallback callback) {
  CO_RETURN_IF_ERROR(checkNotices(write.options.notices));
  PendingWrite pending(std::move(write), std::move(callback), co_await asio::this_coro::executor);
  pending.alone = runsAlone(pending);
  co_return co_await wait(project, pending);
}

Task<> WriteQueues::alter(ProjectNo project, std::vector<Insert> inserts,
                          std::function<Result<>(ProjectState& next)> change,
                          std::function<void(Connection&)> afterwards) {
  Write write({});
  write.insert(std::move(inserts));
  PendingWrite pending(std::move(write), nullptr, co_await asio::this_coro::executor);
  pending.alter = std::move(change);
  pending.afterwards = std::move(afterwards);
  pending.alone = true;
  CO_RETURN_IF_ERROR(co_await wait(project, pending));
  co_return Result<>();
}

Task<WriteOutcome> WriteQueues::wait(ProjectNo project, PendingWrite& pending) {
  co_return co_await suspend<Result<WriteOutcome>>([&](Resumer<Result<WriteOutcome>> resumer) {
    pending.resumer = std::move(resumer);
    Resumer<Result<WriteOutcome>>& waiting = pending.resumer;
    if (!enqueue(project, Entry{&pending, {}})) waiting.resume(fail(busy()));
  });
}

bool WriteQueues::enqueue(ProjectNo project, Entry entry) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_ >= kMaxWaiting) return false;
  Queue& queue = queues_[project];
  if (!queue.running) {
    if (!start(project)) return false;
    queue.running = true;
  }
  queue.waiting.push_back(std::move(entry));
  ++waiting_;
  return true;
}

bool WriteQueues::start(ProjectNo project) {
  return pool_.submit(project, [this, project](Connection& connection) { runOne(project, connection); });
}

std::vector<WriteQueues::Entry> WriteQueues::takeGroup(Queue& queue) {
  std::vector<Entry> group;
  size_t bytes = 0;
  while (!queue.waiting.empty() && group.size() < kMaxGroup) {
    Entry& next = queue.waiting.front();
    const bool single = next.write == nullptr || next.write->alone;
    if (single && !group.empty()) break;
    bytes += next.write == nullptr ? 0 : bytesOf(*next.write);
    if (bytes > kMaxGroupBytes && !group.empty()) break;
    group.push_back(std::move(next));
    queue.waiting.pop_front();
    --waiting_;
    if (single) break;
  }
  return group;
}

void WriteQueues::runOne(ProjectNo project, Connection& connection) {
  std::vector<Entry> group;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[project];
    group = takeGroup(queue);
    more = !queue.waiting.empty();
  }
  std::vector<PendingWrite*> writes;
  for (Entry& entry : group) {
    if (entry.write != nullptr) {
      writes.push_back(entry.write);
    } else {
      entry.work(&connection);
    }
  }
  // A write that is resumed ends.
  const auto afterwards = writes.empty() ? std::function<void(Connection&)>() : writes.front()->afterwards;
  std::vector<PendingWrite*> again;
  if (!writes.empty()) again = Group(context_, connection, project, more).run(std::move(writes));
  if (afterwards) afterwards(connection);
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[project];
  for (auto write = again.rbegin(); write != again.rend(); ++write) {
    queue.waiting.push_front(Entry{*write, {}});
    ++waiting_;
  }
  if (!queue.waiting.empty() && start(project)) return;
  // The pool is full or stops.
  for (Entry& entry : queue.waiting) {
    if (entry.write != nullptr) {
      entry.write->resumer.resume(fail(busy()));
    } else {
      entry.work(nullptr);
    }
  }
  waiting_ -= queue.waiting.size();
  queues_.erase(project);
  idle_.notify_all();
}

void WriteQueues::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  idle_.wait(lock, [&] { return queues_.empty(); });
}

}  // namespace mb::store::mongo
