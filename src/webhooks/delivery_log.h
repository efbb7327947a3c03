// The last deliveries of each webhook, and what they sent. Two rings of 50 places a webhook: the entries, and the
// events beside them, so that reading the log reads no documents. Where the next goes stands in a counter, which
// whoever adds one moves in the same commit: so the log is in the order of the commits, and never longer.
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
  // What a delivery sent; notFound where the log does not hold it (any more).
  Task<SentEvent> sentBy(store::ProjectNo project, std::string hookId, std::string deliveryId);

  // Adds an entry, as long as the webhook is there. `done`, where given, is the job that it ends: it goes in the same
  // commit, with or without a webhook, and where it is gone already, nothing is added.
  Task<> add(store::ProjectNo project, WebhookRecord hook, DeliveryView entry, SentEvent event,
             std::optional<store::WriteTarget> done);

  // What goes along with a webhook that is deleted.
  static std::vector<store::WriteTarget> allOf(store::ProjectNo project, const std::string& hookId);

 private:
  // One attempt. Fails with ErrorCode::retry where another entry was added since the counter was read.
  Task<> addAt(store::ProjectNo project, WebhookRecord hook, DeliveryView entry, SentEvent event,
               std::optional<store::WriteTarget> done);

  store::DocumentStore& store_;
};

}  // namespace mb::webhooks
