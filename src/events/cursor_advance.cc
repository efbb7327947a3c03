// One step of a project: changes after its cursor become jobs.
#include <algorithm>

#include "base/log.h"
#include "events/dispatcher_impl.h"
#include "store/records.h"

namespace mb::events {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxChanges = 100;
constexpr size_t kMaxJobs = 200;
constexpr size_t kMaxBytes = 4 << 20;
// Changes without jobs move the stored cursor only this often. Reading them again does no harm.
constexpr uint64_t kLazyChanges = 1000;
constexpr auto kLazyTime = 10s;

store::WriteOptions asServer() {
  return {
      .deadline = std::chrono::steady_clock::now() + 10s, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}};
}

}  // namespace

std::vector<std::string> Batch::groups() const {
  std::vector<std::string> all;
  for (const jobs::JobSpec& job : jobs) {
    if (!job.group.empty()) all.push_back(job.group);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

Task<std::optional<CursorRecord>> Dispatcher::Impl::rowOf(store::ProjectNo project) {
  CO_TRY(const auto stored, co_await deps.store.get(kCursorRows, std::to_string(project)));
  co_return store::fromStore<CursorRecord>(stored);
}

bool Dispatcher::Impl::anyFollows(const snapshot::SnapshotPtr& project) const {
  return project && std::ranges::any_of(consumers, [&](const Consumer* each) { return each->follows(*project); });
}

Task<Step> Dispatcher::Impl::advance(store::ProjectNo project) {
  if (!co_await holdsLease(project)) co_return Step::rest;
  Cursor cursor = cursors->cursorOf(project);
  if (!cursor.known) {
    CO_TRY(const std::optional<CursorRecord> row, co_await rowOf(project));
    if (!row) co_return Step::absent;
    cursor = Cursor::of(*row);
    cursors->move(project, cursor);
  }
  CO_TRY(const snapshot::SnapshotPtr snapshot, co_await deps.snapshots.find(cursor.projectId));
  // A stale snapshot, returned because a newer one could not be loaded: it lacks consumers that joined since, which
  // would miss changes.
  if (snapshot && deps.store.epoch(project) != snapshot->epoch()) {
    co_return fail(ErrorCode::unavailable, "the project's configuration could not be read");
  }
  if (!anyFollows(snapshot)) {
    co_return co_await forget(project, cursor.generation);
  }
  // Jobs of a suspended project do not run, and consumers bound how many may be queued. The log keeps the changes until
  // the resume.
  if (snapshot->info().status == snapshot::ProjectStatus::suspended) {
    cursors->suspendedAsOf(project, snapshot->epoch());
    co_return Step::rest;
  }
  CO_TRY(const store::ChangeBatch changes, co_await deps.feed.changes(project, cursor.position, kMaxChanges));
  if (changes.through == cursor.position) co_return Step::rest;
  if (changes.lostUpTo != 0) {
    logError("change log was truncated before delivery; jobs of the missing changes are not created",
             {{"project", project}, {"after", cursor.position}, {"upTo", changes.lostUpTo}});
  }
  // A configuration that another process committed before the changes, and of which this one has not heard yet.
  if (deps.leases) {
    CO_TRY(const uint64_t epoch, co_await deps.store.epochNow(project));
    if (epoch != snapshot->epoch()) co_return Step::more;
  }
  Batch batch = batchOf(*snapshot, cursor, changes);
  std::vector<std::string> groups = batch.groups();
  CO_TRY(const bool moved, co_await commit(project, std::move(cursor), std::move(batch)));
  if (moved && !groups.empty()) {
    for (Consumer* consumer : consumers) co_await consumer->committed(snapshot, groups);
  }
  // Another process delivers, too: this one continues only if it gets the lease again.
  if (!moved) releaseLease(project);
  const bool behind = !moved || cursors->cursorOf(project).position < deps.feed.lastPosition(project);
  co_return behind ? Step::more : Step::rest;
}

Batch Dispatcher::Impl::batchOf(const snapshot::ProjectSnapshot& project, const Cursor& cursor,
                                const store::ChangeBatch& changes) const {
  Batch batch;
  batch.position = cursor.position;
  std::string made = cursor.made;
  for (const store::ChangeEntry& change : changes.entries) {
    std::vector<FollowUp> jobs;
    for (const Consumer* consumer : consumers) consumer->jobsFor(project, change, jobs);
    std::ranges::sort(jobs, {}, [](const FollowUp& each) -> const std::string& { return each.job.id; });
    for (FollowUp& each : jobs) {
      if (each.job.id <= made) continue;
      const bool full = batch.jobs.size() >= kMaxJobs || batch.bytes + each.bytes > kMaxBytes;
      if (full && !batch.jobs.empty()) {
        batch.made = std::move(made);
        return batch;
      }
      batch.bytes += each.bytes;
      made = each.job.id;
      each.job.payload = each.payload();
      each.job.trace = change.trace;
      batch.jobs.push_back(std::move(each.job));
    }
    batch.position = change.position;
    ++batch.changes;
    made.clear();
  }
  batch.position = changes.through;
  return batch;
}

Task<bool> Dispatcher::Impl::commit(store::ProjectNo project, Cursor cursor, Batch batch) {
  const auto now = std::chrono::steady_clock::now();
  const bool lazy = batch.jobs.empty() && cursor.unstored + batch.changes < kLazyChanges &&
                    now - cursor.storedAt < kLazyTime && batch.made == cursor.made;
  if (lazy) {
    cursor.position = batch.position;
    cursor.unstored += batch.changes;
    cursors->move(project, cursor);
    co_return true;
  }
  store::Write write(asServer());
  const store::Target row = write.change(kCursorRows, std::to_string(project));
  std::vector<std::string> ids;
  for (jobs::JobSpec& spec : batch.jobs) {
    auto job = deps.queue.insertOf(std::move(spec));
    if (!job) {
      logError("job of a change is invalid; it is skipped", {{"project", project}, {"problem", job.error().message()}});
      continue;
    }
    ids.push_back(job->id());
    write.insert(*std::move(job));
  }
  // The row as it is written; nullopt, and nothing is written, if the row has changed since it was read.
  using Moved = std::optional<CursorRecord>;
  auto moveCursor = [row, &cursor = std::as_const(cursor), &batch = std::as_const(batch)](
                        const store::PreImages& before, store::Changes& changes) -> Result<Moved> {
    TRY(Moved record, store::fromStore<CursorRecord>(before[row]));
    if (!record || static_cast<uint64_t>(record->position) != cursor.stored || record->made != cursor.made) {
      return Moved();
    }
    record->position = static_cast<int64_t>(batch.position);
    record->made = batch.made;
    changes.put(row, doc::encode(*record));
    return record;
  };
  CO_TRY(const Moved moved, co_await store::writeReturning(deps.store, std::move(write), std::move(moveCursor)));
  if (moved) {
    cursor.position = cursor.stored = batch.position;
    cursor.unstored = 0;
    cursor.made = std::move(batch.made);
    cursor.generation = moved->generation;
    cursor.storedAt = now;
    if (!ids.empty()) deps.queue.wake(std::move(ids));
  } else {
    cursor.known = false;
  }
  cursors->move(project, cursor);
  co_return moved.has_value();
}

// Removes the row, unless a consumer has joined since it was read.
Task<Step> Dispatcher::Impl::forget(store::ProjectNo project, int64_t generation) {
  store::Write write(asServer());
  const store::Target row = write.change(kCursorRows, std::to_string(project));
  auto callback = [row, generation](const store::PreImages& before, store::Changes& changes) -> Result<bool> {
    TRY(const std::optional<CursorRecord> record, store::fromStore<CursorRecord>(before[row]));
    if (record && record->generation != generation) return false;
    changes.remove(row);
    return true;
  };
  CO_TRY(const bool removed, co_await store::writeReturning(deps.store, std::move(write), std::move(callback)));
  if (removed) co_return Step::absent;
  Cursor cursor = cursors->cursorOf(project);
  cursor.known = false;
  cursors->move(project, cursor);
  co_return Step::more;
}

}  // namespace mb::events
