// Webhooks of projects: signed POSTs that follow from changes. The module, wired: made once by app/, before the queue
// and the dispatcher start. Source: contract 2.13, 3.5, 4.5, 6.3; decisions 5, 7 and 8.
#pragma once

#include "audit/audit.h"
#include "data/data.h"
#include "events/dispatcher.h"
#include "identity/project_access.h"
#include "store/sealed_fields.h"
#include "webhooks/delivery_jobs.h"
#include "webhooks/webhook_rules.h"

namespace mb::webhooks {

// Collections of projects that this module owns, and what it seals there.
std::vector<store::SystemCollection> systemCollections();
std::vector<store::SealedField> sealedFields();

// References outlive the module.
struct WebhookDeps {
  store::DocumentStore& store;
  snapshot::Snapshots& snapshots;
  jobs::Queue& queue;
  events::Dispatcher& dispatcher;
  outbound::Outbound& outbound;
  data::Data& data;
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
};

// Who does it, in which project, and until when.
using Access = identity::ProjectAccess;

// Permissions are the routes' business; every change is audited in its own commit and holds for whatever is delivered
// after it was answered. Calls on a named webhook fail with notFound where there is none. Any core.
class Webhooks final : public data::CollectionReferrer {
 public:
  // Adds the module's slot, its kind of job, its consumer, and itself to the collections' referrers.
  explicit Webhooks(WebhookDeps deps);

  std::vector<WebhookView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<WebhookView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation; conflict for a taken name (without regard to case), or past store::kMaxWebhooks.
  Task<CreatedWebhook> create(Access access, NewWebhook input);
  // One that has no secret, and is not enabled, whatever it says.
  Task<> import(Access access, NewWebhook input);
  // Fails with validation; conflict for enabling one that has no secret. Enabled, or sent to follow another collection,
  // it gets what is changed from then on.
  Task<> change(Access access, std::string name, WebhookPatch patch);
  // With its log. What waits for its delivery is dropped.
  Task<> remove(Access access, std::string name);
  // A new secret; the old one signs nothing more.
  Task<RotatedSecret> rotate(Access access, std::string name);

  // Newest first.
  Task<std::vector<DeliveryView>> deliveries(snapshot::SnapshotPtr project, std::string name, int64_t limit);
  // Both send once, at once, and log what became of it; also where the webhook is not enabled. Fail with conflict where
  // it has no secret; redeliver with notFound where the log does not hold the delivery.
  Task<DeliveryView> test(Access access, std::string name);
  Task<DeliveryView> redeliver(Access access, std::string name, std::string deliveryId);

  snapshot::SlotKey<HookTable> slot() const { return slot_; }

  Task<> bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) override;

 private:
  Result<HookPtr> require(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  int64_t numberOf(const snapshot::ProjectSnapshot& project, std::string_view collection) const;
  Result<WebhookRecord> recordOf(const Access& access, NewWebhook input) const;
  Task<> insert(Access access, WebhookRecord record, std::optional<events::Dispatcher::Joining> joining);
  Task<DeliveryView> sendNow(Access access, HookPtr hook, SentEvent event);

  const WebhookDeps deps_;
  HookTables tables_;
  const snapshot::SlotKey<HookTable> slot_;
  Sender sender_;
  DeliveryLog log_;
  Health health_;
  DeliveryJobs jobs_;
};

WebhookView viewOf(const Hook& hook);

}  // namespace mb::webhooks
