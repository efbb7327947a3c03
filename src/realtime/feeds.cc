#include "realtime/feeds.h"

#include <algorithm>

#include "base/log.h"

namespace mb::realtime {

namespace {

constexpr std::chrono::milliseconds kRetryPause{250};
constexpr std::chrono::milliseconds kCapacityPause{5};

}  // namespace

struct ProjectReader {
  ProjectReader(store::ProjectNo of, uint64_t after, size_t cores)
      : project(of), cursor(after), follows(cores, 0), inHand(cores, 0) {}
  const store::ProjectNo project;
  uint64_t cursor;  // used by the reading coroutine only

  std::vector<int> follows;  // follow() less unfollow(), by core
  std::vector<int> inHand;   // batches, by core
  bool ended = false;
  Resumer<bool> waiting;  // set while it waits for changes or for free capacity

  bool followed() const {
    return std::ranges::any_of(follows, [](int count) { return count > 0; });
  }
  bool hasCapacity() const {
    for (size_t core = 0; core < follows.size(); ++core) {
      if (follows[core] > 0 && inHand[core] >= kBatchesInHand) return false;
    }
    return true;
  }
};

Feeds::Feeds(store::ChangeFeed& feed, Cores& cores, std::vector<BatchReceiver*> receivers)
    : feed_(feed), cores_(cores), receivers_(std::move(receivers)) {}

Feeds::~Feeds() = default;

void Feeds::start() {
  listening_ = feed_.listen([this](store::ProjectNo project, uint64_t) { grown(project); });
}

bool Feeds::stop(std::chrono::milliseconds limit) {
  listening_.reset();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [project, reader] : byProject_) {
      reader->ended = true;
      wake(*reader);
    }
    byProject_.clear();
  }
  return readers_.closeAndWait(limit);
}

uint64_t Feeds::follow(store::ProjectNo project, int core) {
  ProjectReaderPtr started;
  uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    // Must be read first: a reader that exists already may determine its cores for a batch that ends after this
    // position.
    last = feed_.lastPosition(project);
    if (stopping_) return last;
    ProjectReaderPtr& reader = byProject_[project];
    if (!reader) {
      started = reader = std::make_shared<ProjectReader>(project, last, receivers_.size());
      following_.fetch_add(1, std::memory_order_seq_cst);
    }
    ++reader->follows[static_cast<size_t>(core)];
  }
  if (started) {
    const int home = static_cast<int>(project % static_cast<unsigned>(cores_.count()));
    readers_.spawn(cores_.at(home).get_executor(), read(this, std::move(started)));
  }
  return last;
}

void Feeds::unfollow(store::ProjectNo project, int core) {
  const std::lock_guard lock(mutex_);
  const auto found = byProject_.find(project);
  if (found == byProject_.end()) return;
  ProjectReader& reader = *found->second;
  --reader.follows[static_cast<size_t>(core)];
  if (!reader.followed()) {
    reader.ended = true;
    following_.fetch_sub(1, std::memory_order_seq_cst);
  }
  wake(reader);
  if (reader.ended) byProject_.erase(found);
}

void Feeds::done(const ProjectReaderPtr& reader, int core) {
  const std::lock_guard lock(mutex_);
  --reader->inHand[static_cast<size_t>(core)];
  --inHand_;
  wake(*reader);
}

void Feeds::grown(store::ProjectNo project) {
  // Either this call sees the reader, or the reader, which checks the log before it waits, sees the new position.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (following_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = byProject_.find(project);
  if (found != byProject_.end()) wake(*found->second);
}

// Under mutex_. The woken reader checks its condition again, so an extra wake is harmless.
void Feeds::wake(ProjectReader& reader) {
  if (!reader.waiting) return;
  Resumer<bool> resumer = std::move(reader.waiting);
  reader.waiting = {};
  resumer.resume(true);
}

Async<void> Feeds::read(Feeds* self, ProjectReaderPtr reader) {
  while (co_await self->ready(reader)) {
    while (self->inHand_ >= kBatchesInAll) co_await sleepFor(kCapacityPause);
    const bool read = co_await self->readOnce(reader);
    if (!read) co_await sleepFor(kRetryPause);
  }
}

// Waits until there are changes to read and capacity for them; false once no core follows the project.
Async<bool> Feeds::ready(ProjectReaderPtr reader) {
  while (true) {
    bool ended = false;
    co_await suspend<bool>([this, &reader, &ended](Resumer<bool> resumer) {
      const std::lock_guard lock(mutex_);
      ended = reader->ended;
      const bool goesOn = ended || (reader->hasCapacity() && feed_.lastPosition(reader->project) > reader->cursor);
      if (goesOn) {
        resumer.resume(true);
      } else {
        reader->waiting = std::move(resumer);
      }
    });
    if (ended) co_return false;
    const std::lock_guard lock(mutex_);
    if (reader->ended) co_return false;
    if (reader->hasCapacity() && feed_.lastPosition(reader->project) > reader->cursor) co_return true;
  }
}

// False where the log returned nothing; the caller retries after a pause.
Async<bool> Feeds::readOnce(ProjectReaderPtr reader) {
  auto read = co_await feed_.changes(reader->project, reader->cursor, kBatchEntries);
  if (!read) {
    logWarn("change log read failed; retrying", {{"message", read.error().message()}, {"cause", read.error().cause()}});
    co_return false;
  }
  if (read->through == reader->cursor) co_return false;
  auto batch = std::make_shared<LogBatch>(LogBatch{
      .entries = std::move(read->entries), .after = reader->cursor, .last = read->through, .lostUpTo = read->lostUpTo});
  reader->cursor = batch->last;
  hand(reader, batch);
  co_return true;
}

void Feeds::hand(const ProjectReaderPtr& reader, const LogBatchPtr& batch) {
  const std::lock_guard lock(mutex_);
  for (size_t core = 0; core < receivers_.size(); ++core) {
    if (reader->follows[core] == 0) continue;
    ++reader->inHand[core];
    ++inHand_;
    asio::post(cores_.at(static_cast<int>(core)).get_executor(),
               [receiver = receivers_[core], reader, batch] { receiver->receive(reader->project, reader, batch); });
  }
}

}  // namespace mb::realtime
