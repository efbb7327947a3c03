#include "projects/purge.h"

#include "base/cores.h"
#include "base/log.h"
#include "projects/directory.h"
#include "projects/records.h"

namespace mb::projects {

namespace {

constexpr int64_t kKeptMs = 30LL * 24 * 3600 * 1000;
constexpr uint64_t kPurgePage = 100;
constexpr auto kInterval = std::chrono::hours(1);

}  // namespace

Purge::Purge(const ProjectDeps& deps, audit::Retention& retention, std::vector<store::SystemCollection> collections)
    : deps_(deps), retention_(retention), cascades_(std::move(collections)) {
  std::erase_if(cascades_, [](const store::SystemCollection& each) { return each.projectField.empty(); });
}

void Purge::start(const Executor& executor, TaskGroup& tasks) {
  // The first pass runs after an hour, so that it does not slow down the start.
  passes_.start(executor, tasks, {.interval = kInterval}, [this] { return loggedPass(); });
}

Async<void> Purge::loggedPass() {
  const Result<uint64_t> purged = co_await pass();
  if (!purged) logWarn("deleted projects not purged; the next pass retries", {{"cause", purged.error().message()}});
}

Task<uint64_t> Purge::pass() {
  uint64_t gone = 0;
  uint64_t kept = 0;
  while (!passes_.stopping()) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(kProjects, doc::Filter::equals("status", "deleted"), kept, kPurgePage)));
    for (const doc::Document& document : found.documents) {
      // A failed project is retried by the next pass, and does not stop the others.
      const Result<bool> purged = co_await purgeWhereDue(document);
      if (purged && *purged) {
        ++gone;
        continue;
      }
      ++kept;
      if (!purged) {
        logError("deleted project purge failed; the next pass retries", {{"project", document.view().stringOr("id")},
                                                                         {"problem", purged.error().message()},
                                                                         {"cause", purged.error().cause()}});
      }
    }
    if (found.documents.size() < kPurgePage) break;
  }
  CO_RETURN_IF_ERROR(co_await pruneAudit());
  co_return gone;
}

Task<bool> Purge::purgeWhereDue(doc::Document document) {
  CO_TRY(const auto record, fromStore<ProjectRecord>(document.view()));
  if (!record.deletedAt || record.deletedAt->ms > deps_.clock.now().ms - kKeptMs) co_return false;
  CO_RETURN_IF_ERROR(co_await purge(static_cast<store::ProjectNo>(record.number), record.id));
  co_return true;
}

Task<> Purge::pruneAudit() {
  CO_TRY(std::vector<store::ProjectNo> projects, co_await Directory(deps_.store).numbers());
  projects.push_back(store::kControlProject);
  co_return co_await retention_.pass(std::move(projects), passes_.stopFlag());
}

// The record is removed last, so that a crash in between leaves a project that the next pass purges.
Task<> Purge::purge(store::ProjectNo number, ProjectId id) {
  const Result<> dropped = co_await deps_.store.dropProject(number);
  // Dropped already: an earlier pass ended between the drop and the removal of the record.
  if (!dropped && dropped.error().code() != ErrorCode::notFound) co_return fail(dropped.error().clone());
  for (const store::SystemCollection& each : cascades_) {
    CO_RETURN_IF_ERROR(co_await removeAllOf(each.number, each.projectField, id));
  }
  CO_RETURN_IF_ERROR(co_await removeOne(kProjects, id.str()));
  logInfo("deleted project purged", {{"project", id.str()}});
  co_return Result<>();
}

Task<> Purge::removeAllOf(store::CollectionNo collection, std::string field, ProjectId id) {
  while (true) {
    CO_TRY(const store::QueryResult found,
           co_await deps_.store.find(queryOf(collection, doc::Filter::equals(field, id.str()), 0, kPurgePage)));
    for (const auto& document : found.documents) {
      CO_RETURN_IF_ERROR(co_await removeOne(collection, std::string(document.view().stringOr("id"))));
    }
    if (found.documents.size() < kPurgePage) co_return Result<>();
  }
}

Task<> Purge::removeOne(store::CollectionNo collection, std::string id) {
  store::Write write({.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30),
                      .actor = {store::ActorKind::server, ""},
                      .priority = store::WritePriority::low,
                      .bumpEpochs = {}});
  const store::Target removed = write.change(target(collection, std::move(id)));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing({removed})));
  co_return Result<>();
}

}  // namespace mb::projects
