#include "functions/post_jobs.h"

#include <algorithm>

#include "base/crypto.h"
#include "base/log.h"
#include "events/subscription.h"
#include "functions/database_event.h"
#include "functions/run_actor.h"
#include "store/records.h"

namespace mb::functions {

namespace {

constexpr size_t kMaxOrderKey = 200;
constexpr uint64_t kSkippedAtOnce = 50;
// The size of a payload without its documents.
constexpr size_t kUsualBytes = 600;

// Runs of a function for one document run one after another.
std::string orderKeyOf(const std::string& functionId, const store::ChangeEntry& change) {
  std::string key = fmt::format("{}/{}/{}", functionId, change.collection, change.id);
  return key.size() <= kMaxOrderKey ? key : fmt::format("{}/{}", functionId, toHex(sha256(key)));
}

size_t bytesOf(const store::ChangeEntry& change) {
  return kUsualBytes + (change.before ? change.before->size() : 0) + (change.after ? change.after->size() : 0);
}

WaitingRun waitingOf(const ProjectId& project, const Function& function, const store::ChangeEntry& change) {
  DatabaseEvent event{events::eventName(change.kind), function.collection, change.id, {}, {}};
  if (change.after) event.document = change.after->view();
  // Two large documents do not fit into a job: then the previous one is left out.
  const bool both = bytesOf(change) <= jobs::kMaxPayloadBytes || !change.after;
  if (change.before && both) event.previous = change.before->view();
  return {project.str(),
          function.record.functionId,
          "database",
          static_cast<int64_t>(change.position),
          depthOf(change.actor) + 1,
          encodeEvent(event)};
}

}  // namespace

bool PostJobs::follows(const snapshot::ProjectSnapshot& project) const {
  return !project.get(deps_.slot).post.empty();
}

void PostJobs::jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
                       std::vector<events::FollowUp>& jobs) const {
  const FunctionTable& table = project.get(deps_.slot);
  const auto functions = table.post.find(change.collection);
  if (functions == table.post.end()) return;
  const ProjectId& id = project.info().id;
  for (const FunctionPtr& function : functions->second) {
    if (change.position <= static_cast<uint64_t>(function->record.after) || !wants(*function, change.kind)) continue;
    jobs::JobSpec job = runJob(project.info().number, function->record.functionId, std::to_string(change.position));
    job.orderKey = orderKeyOf(function->record.functionId, change);
    jobs.push_back({std::move(job), bytesOf(change),
                    [&id, &change, function] { return doc::encode(waitingOf(id, *function, change)); }});
  }
}

Async<void> PostJobs::committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) {
  for (const std::string& group : groups) {
    const auto& functions = project->get(deps_.slot).byId;
    const auto function = functions.find(group);
    if (function == functions.end()) continue;
    const Result<> done = co_await dropOldest(project, function->second);
    if (done) continue;
    logWarn("runs past the bound could not be skipped; retrying after the next commit",
            {{"project", project->info().id.str()},
             {"function", function->second->name()},
             {"problem", done.error().message()}});
  }
}

Task<> PostJobs::dropOldest(snapshot::SnapshotPtr project, FunctionPtr function) {
  const store::ProjectNo number = project->info().number;
  const std::string kind(kJobKind);
  while (true) {
    CO_TRY(const jobs::GroupLoad load, co_await deps_.queue.load(kind, number, function->record.functionId));
    const uint64_t tooMany = load.jobs > kMaxWaiting ? load.jobs - kMaxWaiting : 0;
    uint64_t tooLarge = load.bytes > kMaxWaitingBytes ? load.bytes - kMaxWaitingBytes : 0;
    if (tooMany == 0 && tooLarge == 0) co_return Result<>();
    const uint64_t limit = tooMany > 0 ? std::min(tooMany, kSkippedAtOnce) : kSkippedAtOnce;
    CO_TRY(std::vector<jobs::WaitingJob> oldest,
           co_await deps_.queue.oldest(kind, number, function->record.functionId, limit));
    // All jobs may be running.
    if (oldest.empty()) co_return Result<>();
    for (jobs::WaitingJob& job : oldest) {
      if (tooMany == 0 && tooLarge == 0) break;
      tooLarge -= std::min<uint64_t>(tooLarge, job.payload.size());
      // A job that cannot be read goes too.
      auto waiting = store::fromStore<WaitingRun>(job.payload.view());
      CO_TRY(const bool skipped, co_await deps_.queue.cancel(std::move(job.id)));
      if (!skipped || !waiting) continue;
      deps_.runner.logSkipped(invocationOf(project, function, *std::move(waiting)), "too many runs were waiting");
    }
  }
}

}  // namespace mb::functions
