// The last deliveries of each webhook, and their events. Each webhook has two rings of 50 records: the entries, and in
// a separate collection the events, so that reading the log reads no documents. The next position is a counter, which
// each addition increments in the same commit: so the log is in the order of the commits, and bounded.
#pragma once

#include "jobs/jobs.h"
#include "webhooks/hook_table.h"

namespace mb::webhooks {

inline constexpr int64_t kMaxDeliveries = 50;

// The store outlives it. Any core.
class DeliveryLog {
 public:
  explicit DeliveryLog(store::DocumentStore& store) : store_(store) {}

  // Newest first.
  Task<std::vector<DeliveryView>> list(store::ProjectNo project, std::string hookId, int64_t limit);
  // The event of a delivery; notFound where the log does not hold it (any more).
  Task<SentEvent> sentBy(store::ProjectNo project, std::string hookId, std::string deliveryId);

  // Adds an entry, if the webhook exists. `done`, if set, is the delivery's job: it is removed in the same commit, even
  // without a webhook; if it was removed before, no entry is added.
  Task<> add(store::ProjectNo project, WebhookRecord hook, DeliveryView entry, SentEvent event,
             std::optional<store::WriteTarget> done);

  // The log records to delete with a webhook.
  static std::vector<store::WriteTarget> allOf(store::ProjectNo project, const std::string& hookId);

 private:
  // One attempt. Fails with ErrorCode::retry where another entry was added since the counter was read.
  Task<> addAt(store::ProjectNo project, WebhookRecord hook, DeliveryView entry, SentEvent event,
               std::optional<store::WriteTarget> done);

  store::DocumentStore& store_;
};

}  // namespace mb::webhooks
