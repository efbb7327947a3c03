// Deliveries caused by changes: which webhooks a change concerns, and the jobs that deliver it.
#pragma once

#include <mutex>

#include "base/lru_cache.h"
#include "events/consumer.h"
#include "webhooks/delivery_log.h"
#include "webhooks/health.h"
#include "webhooks/sender.h"

namespace mb::webhooks {

inline constexpr std::string_view kJobKind = "webhook";
// Limit of one webhook: past it the oldest waiting deliveries are dropped, and logged as failed.
inline constexpr uint64_t kMaxWaiting = 10'000;
inline constexpr uint64_t kMaxWaitingBytes = 64 << 20;  // of the stored jobs

// The payload of a job.
struct DeliveryPayload {
  std::string project;  // "proj_…"
  std::string hook;
  int64_t position = 0;  // of the change
  SentEvent event;
  static constexpr auto shape() {
    return doc::shape<DeliveryPayload>(
        "WebhookJob", doc::field("project", &DeliveryPayload::project), doc::field("hook", &DeliveryPayload::hook),
        doc::field("position", &DeliveryPayload::position), doc::field("event", &DeliveryPayload::event));
  }
};

struct DeliveryJobsDeps {
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<HookTable> slot;
  jobs::Queue& queue;
  Sender& sender;
  DeliveryLog& log;
  Health& health;
  const Clock& clock;
};

// References outlive it. It outlives the queue's runs.
class DeliveryJobs final : public events::Consumer {
 public:
  // Declares the job kind.
  explicit DeliveryJobs(DeliveryJobsDeps deps);

  bool follows(const snapshot::ProjectSnapshot& project) const override;
  void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
               std::vector<events::FollowUp>& jobs) const override;
  Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) override;

 private:
  Task<> run(jobs::JobRun run);
  // Drops the oldest deliveries of a webhook until the rest is within its limits.
  Task<> dropOldest(store::ProjectNo project, HookPtr hook);
  Task<> dropDelivery(store::ProjectNo project, HookPtr hook, jobs::WaitingJob job);
  std::optional<Attempt> unwritten(const std::string& job);
  void remember(const std::string& job, const Attempt* attempt);

  const DeliveryJobsDeps deps_;
  // Results of deliveries whose end could not be written, by job: the retry writes them without another send.
  static constexpr size_t kMaxUnwritten = 1000;
  std::mutex mutex_;
  LruCache<Attempt> unwritten_{kMaxUnwritten};
};

// The log entry of a delivery that has ended.
DeliveryView entryOf(std::string id, const SentEvent& event, const Attempt& attempt, int64_t attempts, Timestamp now);

}  // namespace mb::webhooks
