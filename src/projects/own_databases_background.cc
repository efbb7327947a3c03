// What OwnDatabases does in the background: opening at the start, probes, and what other processes change.
#include "base/log.h"
#include "projects/own_databases.h"
#include "projects/records.h"

namespace mb::projects {

namespace {

constexpr auto kProbeInterval = std::chrono::hours(1);
constexpr auto kFirstProbe = std::chrono::minutes(1);
constexpr uint64_t kRecordPage = 1000;

}  // namespace

Task<> OwnDatabases::load() {
  for (uint64_t skip = 0;; skip += kRecordPage) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(kOwnDatabases, doc::Filter(), skip, kRecordPage)));
    CO_TRY(const auto records, fromStore<OwnDatabaseRecord>(found.documents));
    std::vector<std::string> ids;
    for (const OwnDatabaseRecord& record : records) ids.push_back(record.id.str());
    CO_TRY(const auto projects, co_await deps_.store.getMany(controlCollection(kProjects), std::move(ids)));
    for (size_t i = 0; i < records.size(); ++i) {
      if (projects[i] && projects[i]->view().stringOr("status") == "active") {
        openOrProbe(records[i]);
      } else {
        databases_.close(static_cast<store::ProjectNo>(records[i].number));
      }
    }
    if (records.size() < kRecordPage) co_return Result<>();
  }
}

void OwnDatabases::openOrProbe(const OwnDatabaseRecord& record) {
  const auto number = static_cast<store::ProjectNo>(record.number);
  if (!isFreed(record)) return opened(record);
  // While the project was deleted, another one may have got its database: the probe shows it.
  databases_.close(number);
  (void)spawn(probeChanged(number));
}

void OwnDatabases::start(const Executor& executor, TaskGroup& tasks) {
  executor_ = executor;
  tasks_.store(&tasks, std::memory_order_release);
  listening_ = deps_.store.notices().add([this](const store::Notice& notice) { noticed(notice); });
  passes_.start(executor, tasks, {.interval = kProbeInterval, .firstAfter = kFirstProbe},
                [this] { return loggedPass(); });
}

Async<void> OwnDatabases::loggedPass() {
  const Result<> passed = co_await probeAll();
  if (!passed)
    logWarn("projects' own databases not probed; the next pass retries", {{"cause", passed.error().message()}});
}

void OwnDatabases::stopPasses() {
  passes_.stop();
  listening_.reset();
}

bool OwnDatabases::spawn(Async<void> task) {
  TaskGroup* const tasks = tasks_.load(std::memory_order_acquire);
  return tasks != nullptr && tasks->spawn(*executor_, std::move(task));
}

Task<> OwnDatabases::probeOne(store::ProjectNo number) {
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.byNumber(number));
  if (!project || project->info().status != snapshot::ProjectStatus::active) co_return Result<>();
  CO_TRY(auto record, co_await recordFor(project->info().id.str()));
  if (record) CO_RETURN_IF_ERROR(co_await probe(*std::move(record), true));
  co_return Result<>();
}

Async<void> OwnDatabases::probeChanged(store::ProjectNo number) {
  const Result<> probed = co_await probeOne(number);
  if (!probed) {
    logWarn("a project's own database not probed; the next pass retries", {{"problem", probed.error().message()}});
  }
}

void OwnDatabases::noticed(const store::Notice& notice) {
  if (notice.kind != store::NoticeKind::ownDatabase) return;
  {
    const std::lock_guard lock(mutex_);
    noticed_[notice.key] = notice.project;
    if (std::exchange(isFollowing_, true)) return;
  }
  // Refused only once the server stops.
  (void)spawn(followNotices());
}

Async<void> OwnDatabases::followNotices() {
  while (true) {
    std::pair<std::string, store::ProjectNo> next;
    {
      const std::lock_guard lock(mutex_);
      isFollowing_ = !noticed_.empty();
      if (!isFollowing_) co_return;
      next = *noticed_.begin();
      noticed_.erase(noticed_.begin());
    }
    const Result<> followed = co_await follow(next.first, next.second);
    if (!followed) {
      logWarn("a change of a project's own database not followed; the next pass does it",
              {{"project", next.first}, {"problem", followed.error().message()}});
    }
  }
}

Task<> OwnDatabases::follow(std::string id, store::ProjectNo number) {
  CO_TRY(const auto record, co_await recordFor(id));
  if (!record) co_return Result<>();
  CO_TRY(const auto project, co_await deps_.store.get(controlCollection(kProjects), std::move(id)));
  CO_TRY(const auto holder, fromStore<ProjectRecord>(project));
  if (holder && holder->status == "active" && record->number == holder->number) {
    openOrProbe(*record);
  } else {
    databases_.close(number);
  }
  co_return Result<>();
}

std::function<Task<>(const snapshot::ProjectInfo&)> OwnDatabases::follower() {
  return [this](const snapshot::ProjectInfo& project) { return know(project.number, project.id.str()); };
}

Task<> OwnDatabases::know(store::ProjectNo number, std::string id) {
  if (databases_.find(number)) co_return Result<>();
  co_return co_await follow(std::move(id), number);
}

Task<> OwnDatabases::probeAll() {
  CO_RETURN_IF_ERROR(co_await load());
  for (uint64_t skip = 0; !passes_.stopping(); skip += kRecordPage) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(kOwnDatabases, doc::Filter(), skip, kRecordPage)));
    CO_TRY(const auto records, fromStore<OwnDatabaseRecord>(found.documents));
    for (const OwnDatabaseRecord& record : records) {
      if (passes_.stopping()) break;
      CO_TRY(const auto project, co_await deps_.store.get(controlCollection(kProjects), record.id.str()));
      if (!project || project->view().stringOr("status") != "active") continue;
      // A failure is that of one project; the next pass retries.
      const auto probed = co_await probe(record, true);
      if (!probed) {
        logWarn("a project's own database not probed; the next pass retries",
                {{"project", record.id.str()}, {"problem", probed.error().message()}});
      }
    }
    if (records.size() < kRecordPage) break;
  }
  co_return Result<>();
}

}  // namespace mb::projects
