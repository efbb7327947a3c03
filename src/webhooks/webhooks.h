// Webhooks of projects: signed POST requests caused by changes. Created once by app/, before the queue and the
// dispatcher start.
#pragma once

#include "audit/audit.h"
#include "data/data.h"
#include "events/dispatcher.h"
#include "identity/project_access.h"
#include "store/sealed_fields.h"
#include "variables/variables.h"
#include "webhooks/delivery_jobs.h"
#include "webhooks/webhook_rules.h"

namespace mb::webhooks {

// This module's collections of projects, and the fields that it seals there.
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
  variables::Variables& variables;
};

// The caller, the project and the deadline of a call.
using Access = identity::ProjectAccess;

// The routes check permissions; besides, a webhook whose headers name secret variables, or ones that the project does
// not have, is created and its URL or headers are changed by callers with variables:manage only (forbidden). Every
// change is audited in its own commit and applies to each delivery after it returned. Calls on a named webhook fail
// with notFound where it does not exist. Any core.
class Webhooks final : public data::CollectionReferrer, public variables::VariableUser {
 public:
  // Adds the module's snapshot slot, its job kind, its consumer, and itself to the collections' referrers and
  // the users of variables.
  explicit Webhooks(WebhookDeps deps);

  std::vector<WebhookView> list(const snapshot::ProjectSnapshot& project) const;  // by name
  Result<WebhookView> get(const snapshot::ProjectSnapshot& project, std::string_view name) const;
  // Fails with validation; conflict for a taken name (without regard to case), or past store::kMaxWebhooks.
  Task<CreatedWebhook> create(Access access, NewWebhook input);
  // Creates a disabled webhook without a secret; the input's `enabled` is ignored.
  Task<> import(Access access, NewWebhook input);
  // Fails with validation; conflict for enabling one without a secret. When it is enabled, or set to another
  // collection, it gets only later changes.
  Task<> change(Access access, std::string name, WebhookPatch patch);
  // With its log. Waiting deliveries are dropped.
  Task<> remove(Access access, std::string name);
  // Creates a new secret; the old one is not used any more.
  Task<RotatedSecret> rotate(Access access, std::string name);

  // Newest first.
  Task<std::vector<DeliveryView>> deliveries(snapshot::SnapshotPtr project, std::string name, int64_t limit);
  // Both send once, at once, and log the result; also where the webhook is disabled. Fail with conflict where it has no
  // secret; redeliver with notFound where the log does not hold the delivery.
  Task<DeliveryView> test(Access access, std::string name);
  Task<DeliveryView> redeliver(Access access, std::string name, std::string deliveryId);

  snapshot::SlotKey<HookTable> slot() const { return slot_; }
  const variables::Variables& variables() const { return deps_.variables; }
  // Fails with forbidden where `headers` name variables that the caller may not send.
  Result<> maySendSecrets(const policy::Caller& caller, doc::DocumentView headers,
                          const variables::Values& values) const;

  Task<> bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) override;
  std::vector<variables::VariableUse> uses(const snapshot::ProjectSnapshot& project) const override;
  variables::Problems problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                   std::string_view name) const override;

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
