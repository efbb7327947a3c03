#include "webhooks/delivery_jobs.h"

#include "base/log.h"
#include "document/keep_fields.h"
#include "events/subscription.h"
#include "store/records.h"
#include "webhooks/stable_id.h"

namespace mb::webhooks {

namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxOrderKey = 200;
constexpr uint64_t kDropBatch = 50;
// The size of a payload without its document.
constexpr size_t kUsualBytes = 400;

// Deliveries of one document to one webhook run one after another.
std::string orderKeyOf(const std::string& hookId, const store::ChangeEntry& change) {
  std::string key = fmt::format("{}/{}/{}", hookId, change.collection, change.id);
  return key.size() <= kMaxOrderKey ? key : fmt::format("{}/{}", hookId, toHex(sha256(key)));
}

DeliveryPayload waitingOf(const ProjectId& project, const Hook& hook, const store::ChangeEntry& change) {
  DeliveryPayload waiting{project.str(), hook.record.hookId, static_cast<int64_t>(change.position), {}};
  waiting.event = {stableId("evt_", change.at, change.position, project.str()),
                   std::string(events::eventName(change.kind)),
                   hook.collection,
                   change.id,
                   std::nullopt,
                   change.at};
  if (change.after) {
    waiting.event.document = hook.fields.empty() ? *change.after : doc::keepFields(*change.after, hook.fields);
  }
  return waiting;
}

std::string deliveryIdOf(const DeliveryPayload& waiting) {
  return stableId("dlv_", waiting.event.at, static_cast<uint64_t>(waiting.position), waiting.hook);
}

}  // namespace

DeliveryView entryOf(std::string id, const SentEvent& event, const Attempt& attempt, int64_t attempts, Timestamp now) {
  return {std::move(id),
          event.event,
          {event.documentId},
          attempt.delivered ? "delivered" : "failed",
          attempts,
          attempt.status,
          attempt.error,
          attempt.durationMs,
          now};
}

DeliveryJobs::DeliveryJobs(DeliveryJobsDeps deps) : deps_(deps) {
  jobs::Kind kind;
  kind.name = kJobKind;
  kind.handler = [this](jobs::JobRun run) { return this->run(std::move(run)); };
  kind.backoff = {1s, 5s};
  kind.timeout = 30s;
  kind.concurrency = Health::kPlaces;
  kind.perProject = Health::kPlacesOfProject;
  kind.perGroup = Health::kInFlight;
  kind.groupLimit = [this](store::ProjectNo project, const std::string& group) {
    return deps_.health.limitOf(project, group);
  };
  deps_.queue.declare(std::move(kind));
}

bool DeliveryJobs::follows(const snapshot::ProjectSnapshot& project) const {
  return project.get(deps_.slot).anyLive;
}

void DeliveryJobs::jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
                           std::vector<events::FollowUp>& jobs) const {
  const HookTable& table = project.get(deps_.slot);
  const auto hooks = table.byCollection.find(change.collection);
  if (hooks == table.byCollection.end()) return;
  const ProjectId& id = project.info().id;
  for (const HookPtr& hook : hooks->second) {
    if (!hook->wants(change)) continue;
    jobs::JobSpec job;
    job.kind = kJobKind;
    job.project = project.info().number;
    // Includes the project: one that is restored next to its original has the same webhook id, and its own positions.
    job.id = fmt::format("webhook/{}/{}/{}", job.project, hook->record.hookId, change.position);
    job.orderKey = orderKeyOf(hook->record.hookId, change);
    job.group = hook->record.hookId;
    const size_t bytes = kUsualBytes + (change.after ? change.after->size() : 0);
    jobs.push_back({std::move(job), bytes, [&id, &change, hook] { return doc::encode(waitingOf(id, *hook, change)); }});
  }
}

Task<> DeliveryJobs::run(jobs::JobRun run) {
  CO_TRY(DeliveryPayload waiting, store::fromStore<DeliveryPayload>(run.payload.view()));
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.find(waiting.project));
  if (!project) co_return Result<>();
  // Read for each attempt. A delivery that the webhook no longer wants is dropped without a log entry.
  const auto& hooks = project->get(deps_.slot).byId;
  const auto found = hooks.find(waiting.hook);
  if (found == hooks.end() || !found->second->live() || waiting.position <= found->second->record.after) {
    co_return Result<>();
  }
  const HookPtr hook = found->second;
  std::optional<Attempt> attempt = unwritten(run.id);
  if (!attempt) {
    Health::Run place(deps_.health, run.project, waiting.hook);
    attempt = co_await deps_.sender.send(hook, project, waiting.event, std::move(run.trace));
    place.ended(attempt->delivered);
  }
  if (!attempt->delivered && !run.last) {
    co_return fail(Error(ErrorCode::upstreamFailed, *attempt->error).withCause(attempt->cause));
  }
  logUndelivered(project->info().id, *hook, *attempt);
  DeliveryView entry = entryOf(deliveryIdOf(waiting), waiting.event, *attempt, run.attempt, deps_.clock.now());
  Result<> written = co_await deps_.log.add(run.project, hook->record, std::move(entry), std::move(waiting.event),
                                            jobs::Queue::rowOf(run));
  remember(run.id, written ? nullptr : &*attempt);
  co_return written;
}

std::optional<Attempt> DeliveryJobs::unwritten(const std::string& job) {
  const std::scoped_lock lock(mutex_);
  const Attempt* attempt = unwritten_.find(job);
  return attempt == nullptr ? std::nullopt : std::optional(*attempt);
}

// Null removes the entry.
void DeliveryJobs::remember(const std::string& job, const Attempt* attempt) {
  const std::scoped_lock lock(mutex_);
  if (attempt == nullptr) {
    unwritten_.erase(job);
  } else {
    unwritten_.put(job, *attempt);
  }
}

Async<void> DeliveryJobs::committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) {
  for (const std::string& group : groups) {
    const auto& hooks = project->get(deps_.slot).byId;
    const auto hook = hooks.find(group);
    if (hook == hooks.end()) continue;
    const Result<> done = co_await dropOldest(project->info().number, hook->second);
    if (done) continue;
    logWarn("waiting deliveries over the limit not dropped", {{"project", project->info().id.str()},
                                                              {"webhook", hook->second->record.name},
                                                              {"problem", done.error().message()}});
  }
}

Task<> DeliveryJobs::dropOldest(store::ProjectNo project, HookPtr hook) {
  const std::string kind(kJobKind);
  while (true) {
    CO_TRY(const jobs::GroupLoad load, co_await deps_.queue.load(kind, project, hook->record.hookId));
    const uint64_t tooMany = load.jobs > kMaxWaiting ? load.jobs - kMaxWaiting : 0;
    uint64_t tooLarge = load.bytes > kMaxWaitingBytes ? load.bytes - kMaxWaitingBytes : 0;
    if (tooMany == 0 && tooLarge == 0) co_return Result<>();
    const uint64_t limit = tooMany > 0 ? std::min<uint64_t>(tooMany, kDropBatch) : kDropBatch;
    CO_TRY(std::vector<jobs::WaitingJob> oldest,
           co_await deps_.queue.oldest(kind, project, hook->record.hookId, limit));
    // All of them may be in flight.
    if (oldest.empty()) co_return Result<>();
    for (jobs::WaitingJob& job : oldest) {
      if (tooMany == 0 && tooLarge == 0) break;
      tooLarge -= std::min<uint64_t>(tooLarge, job.payload.size());
      CO_RETURN_IF_ERROR(co_await dropDelivery(project, hook, std::move(job)));
    }
  }
}

Task<> DeliveryJobs::dropDelivery(store::ProjectNo project, HookPtr hook, jobs::WaitingJob job) {
  CO_TRY(DeliveryPayload waiting, store::fromStore<DeliveryPayload>(job.payload.view()));
  Attempt none;
  none.error = "request failed";
  DeliveryView entry = entryOf(deliveryIdOf(waiting), waiting.event, none, job.failedAttempts, deps_.clock.now());
  jobs::JobRun run;
  run.id = std::move(job.id);
  co_return co_await deps_.log.add(project, hook->record, std::move(entry), std::move(waiting.event),
                                   jobs::Queue::rowOf(run));
}

}  // namespace mb::webhooks
