#include "webhooks/webhooks.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "store/configuration_limits.h"
#include "store/rewrite.h"
#include "webhooks/signature.h"

namespace mb::webhooks {

namespace {

Error noWebhook() {
  return Error(ErrorCode::notFound, "no such webhook");
}

Error noSecret(std::string_view what) {
  return Error(ErrorCode::conflict, fmt::format("a webhook without a secret cannot be {}: rotate it first", what));
}

store::CollectionRef in(const Access& access, store::CollectionNo collection) {
  return {access.project->info().number, collection, 0};
}

store::WriteTarget targetOf(const Access& access, std::string_view name) {
  return {in(access, kWebhooks), keyOf(name)};
}

// The stored webhook `name`, in a write callback.
Result<WebhookRecord> existing(const std::optional<doc::Document>& before, std::string_view name) {
  if (!before) return fail(noWebhook());
  TRY(WebhookRecord record, store::fromStore<WebhookRecord>(before->view()));
  if (record.name != name) return fail(noWebhook());
  return record;
}

// What decides scheme, host and port of a webhook's requests: an origin, or a text that names variables.
std::string destinationOf(std::string_view url) {
  const std::string_view authority = variables::authorityIn(url);
  if (variables::holdsReference(authority)) return std::string(authority);
  return outbound::originOf(authority).value_or("");
}

// The audit details of a changed webhook: of the URL the destination, since the rest may be a secret, and for the same
// reason of headers only the names.
doc::Document detailsOf(const WebhookRecord& record) {
  doc::BsonWriter out;
  out.appendString("collection", record.collection);
  doc::encodeValue(out, "events", record.events);
  out.appendString("origin", destinationOf(record.url));
  std::vector<std::string> headers;
  for (const doc::Element& header : record.headers.view()) headers.emplace_back(header.key);
  doc::encodeValue(out, "headers", headers);
  out.appendBool("enabled", record.enabled);
  doc::encodeValue(out, "fields", record.fields);
  return out.finish();
}

// The names in a record's URL and headers; nullopt without any.
std::optional<std::vector<std::string>> variablesIn(const WebhookRecord& record) {
  std::vector<std::string> names;
  for (const HookReference& each : referencesIn(record.url, record.headers)) variables::addNames(each.text, names);
  if (names.empty()) return std::nullopt;
  return names;
}

NewWebhook bodyOf(const WebhookRecord& record) {
  return {record.name, record.collection, record.events, record.url, record.headers, record.enabled, record.fields};
}

}  // namespace

// The limits of a project's configuration use these numbers.
static_assert(store::isConfigurationPart(kWebhooks, "webhooks"));

std::vector<store::SystemCollection> systemCollections() {
  return {
      {kWebhooks, "__webhooks", {}}, {kDeliveries, "__webhook_deliveries", {}}, {kSentEvents, "__webhook_sent", {}}};
}

std::vector<store::SealedField> sealedFields() {
  return {
      {kWebhooks, "secret", store::SealedField::Form::base64, [](std::string_view project, doc::DocumentView webhook) {
         return sealContext(project, webhook.stringOr("hookId"));
       }}};
}

WebhookView viewOf(const Hook& hook) {
  const WebhookRecord& record = hook.record;
  return {record.name,    hook.collection,          record.events, record.url,       record.headers,
          record.enabled, {!record.secret.empty()}, record.fields, record.createdAt, record.updatedAt};
}

Webhooks::Webhooks(WebhookDeps deps)
    : deps_(deps),
      tables_(deps.store),
      slot_(deps.snapshots.addSlot<HookTable>(tables_)),
      sender_(deps.outbound, deps.master, deps.variables, deps.clock),
      log_(deps.store),
      jobs_({deps.snapshots, slot_, deps.queue, sender_, log_, health_, deps.clock}) {
  deps.dispatcher.add(jobs_);
  deps.data.collections().addReferrer(*this);
  deps.variables.add(*this);
}

// ---- reading

Result<HookPtr> Webhooks::require(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  HookPtr hook = project.get(slot_).find(name);
  if (!hook) return fail(noWebhook());
  return hook;
}

std::vector<WebhookView> Webhooks::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<WebhookView> views;
  for (const auto& [key, hook] : project.get(slot_).byKey) views.push_back(viewOf(*hook));
  std::ranges::sort(views, {}, &WebhookView::name);
  return views;
}

Result<WebhookView> Webhooks::get(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  TRY(const HookPtr hook, require(project, name));
  return viewOf(*hook);
}

Task<std::vector<DeliveryView>> Webhooks::deliveries(snapshot::SnapshotPtr project, std::string name, int64_t limit) {
  CO_TRY(const HookPtr hook, require(*project, name));
  co_return co_await log_.list(project->info().number, hook->record.hookId, limit);
}

// ---- variables

std::vector<variables::VariableUse> Webhooks::uses(const snapshot::ProjectSnapshot& project) const {
  const variables::Values values = deps_.variables.valuesOf(project);
  const auto isSecret = [&](const std::string& name) { return values.isSecret(name); };
  std::vector<variables::VariableUse> uses;
  for (const auto& [key, hook] : project.get(slot_).byKey) {
    const WebhookRecord& record = hook->record;
    if (!record.variables) continue;
    const std::string resource = "webhooks/" + record.name;
    bool sendsSecrets = false;
    for (const HookReference& each : referencesIn(record.url, record.headers)) {
      uses.push_back({resource + each.path, variables::namesIn(each.text)});
      sendsSecrets |= each.kind == variables::FieldKind::secret && std::ranges::any_of(uses.back().names, isSecret);
    }
    uses.push_back({resource + "/url", variables::namesIn(variables::authorityIn(record.url)), sendsSecrets});
  }
  return uses;
}

variables::Problems Webhooks::problemsWith(const snapshot::ProjectSnapshot& project, const variables::Values& values,
                                           std::string_view name) const {
  variables::Problems problems;
  for (const auto& [key, hook] : project.get(slot_).byKey) {
    const WebhookRecord& record = hook->record;
    if (!record.variables || std::ranges::find(*record.variables, name) == record.variables->end()) continue;
    for (ErrorDetail& each : problemsOf(bodyOf(record), values)) {
      problems.push_back({fmt::format("webhooks/{}{}", record.name, each.path), std::move(each.message)});
    }
  }
  return problems;
}

Result<> Webhooks::maySendSecrets(const policy::Caller& caller, doc::DocumentView headers,
                                  const variables::Values& values) const {
  if (caller.may("variables:manage")) return {};
  if (const std::string name = secretNamedIn(headers, values); !name.empty()) {
    return fail(variables::needsManage(name));
  }
  return {};
}

// ---- changing

int64_t Webhooks::numberOf(const snapshot::ProjectSnapshot& project, std::string_view collection) const {
  const data::CollectionPtr* found = project.get(deps_.data.slot()).find(collection);
  return found ? static_cast<int64_t>((*found)->info.number) : 0;
}

Result<WebhookRecord> Webhooks::recordOf(const Access& access, NewWebhook input) const {
  const variables::Values values = deps_.variables.valuesOf(*access.project);
  RETURN_IF_ERROR(check(input, values));
  RETURN_IF_ERROR(maySendSecrets(access.caller, input.headers ? input.headers->view() : doc::DocumentView(), values));
  const Timestamp now = deps_.clock.now();
  WebhookRecord record;
  record.id = keyOf(input.name);
  record.name = std::move(input.name);
  record.hookId = "hook_" + deps_.ids.next();
  record.collectionNo = numberOf(*access.project, input.collection);
  record.collection = std::move(input.collection);
  record.events = std::move(input.events);
  record.url = std::move(input.url);
  if (input.headers) record.headers = *std::move(input.headers);
  record.fields = std::move(input.fields);
  record.variables = variablesIn(record);
  record.createdAt = record.updatedAt = now;
  return record;
}

Task<> Webhooks::insert(Access access, WebhookRecord record, std::optional<events::Dispatcher::Joining> joining) {
  store::Write write =
      identity::auditedWrite(deps_.auditor, access, {"webhook.created", "webhooks/" + record.name, detailsOf(record)});
  const store::Target webhook = write.change(targetOf(access, record.name));
  std::optional<store::Target> cursor;
  if (joining) cursor = write.change(joining->target());
  auto callback = [webhook, cursor, &record = std::as_const(record), &joining = std::as_const(joining)](
                      const store::PreImages& before, store::Changes& changes) -> Result<> {
    if (before[webhook]) return fail(ErrorCode::conflict, "a webhook of this name exists: use another name");
    changes.put(webhook, doc::encode(record));
    if (cursor) {
      TRY(store::Change joins, joining->change(before[*cursor]));
      changes.set(*cursor, std::move(joins));
    }
    return {};
  };
  const auto done = co_await deps_.store.write(std::move(write), std::move(callback));
  if (joining) deps_.dispatcher.joined(*joining);
  if (!done) co_return fail(done.error().clone());
  co_return Result<>();
}

Task<CreatedWebhook> Webhooks::create(Access access, NewWebhook input) {
  const bool enabled = input.enabled.value_or(true);
  Hook hook;
  CO_TRY(hook.record, recordOf(access, std::move(input)));
  hook.collection = hook.record.collection;
  const std::string secret = newSecret();
  hook.record.enabled = enabled;
  hook.record.secret = sender_.seal(access.project->info().id, hook.record.hookId, secret);
  std::optional<events::Dispatcher::Joining> joining;
  if (enabled) {
    CO_TRY(joining, co_await deps_.dispatcher.join(access.project->info()));
    hook.record.after = static_cast<int64_t>(joining->after);
  }
  CO_RETURN_IF_ERROR(co_await insert(std::move(access), hook.record, std::move(joining)));
  co_return CreatedWebhook{viewOf(hook), secret};
}

Task<> Webhooks::import(Access access, NewWebhook input) {
  CO_TRY(WebhookRecord record, recordOf(access, std::move(input)));
  co_return co_await insert(std::move(access), std::move(record), std::nullopt);
}

Task<> Webhooks::change(Access access, std::string name, WebhookPatch patch) {
  CO_TRY(const HookPtr known, require(*access.project, name));
  if (patch.collection && *patch.collection == known->collection) patch.collection.reset();
  const bool mayJoin = patch.collection || patch.enabled.value_or(false);
  const int64_t number = patch.collection ? numberOf(*access.project, *patch.collection) : 0;
  WebhookRecord merged = known->record;
  merged.collection = known->collection;
  const auto merge = [number, &patch = std::as_const(patch)](WebhookRecord& record) {
    if (patch.collection) {
      record.collection = *patch.collection;
      record.collectionNo = number;
    }
    if (patch.events) record.events = *patch.events;
    if (patch.url) record.url = *patch.url;
    if (patch.headers.given()) record.headers = patch.headers.value;
    if (patch.enabled) record.enabled = *patch.enabled;
    if (patch.fields.state == doc::Patch<std::vector<std::string>>::State::null) record.fields.reset();
    if (patch.fields.state == doc::Patch<std::vector<std::string>>::State::value) record.fields = patch.fields.value;
    if (patch.url || patch.headers.given()) record.variables = variablesIn(record);
  };
  merge(merged);
  const variables::Values values = deps_.variables.valuesOf(*access.project);
  CO_RETURN_IF_ERROR(check(bodyOf(merged), values));
  std::optional<events::Dispatcher::Joining> joining;
  if (mayJoin) CO_TRY(joining, co_await deps_.dispatcher.join(access.project->info()));
  store::Write write =
      identity::auditedWrite(deps_.auditor, access, {"webhook.changed", "webhooks/" + name, detailsOf(merged)});
  const store::Target webhook = write.change(targetOf(access, name));
  std::optional<store::Target> cursor;
  if (joining) cursor = write.change(joining->target());
  const auto done = co_await deps_.store.write(
      std::move(write),
      [webhook, cursor, name, merge, moves = patch.collection.has_value(), now = deps_.clock.now(),
       &joining = std::as_const(joining), &self = std::as_const(*this), &access = std::as_const(access),
       &values = std::as_const(values)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(WebhookRecord record, existing(before[webhook], name));
        const bool wasEnabled = record.enabled;
        const WebhookRecord was = record;
        merge(record);
        // Another caller may have changed the other part since.
        if (record.url != was.url || record.headers != was.headers) {
          RETURN_IF_ERROR(self.maySendSecrets(access.caller, record.headers, values));
        }
        if (record.enabled && !wasEnabled && record.secret.empty()) return fail(noSecret("enabled"));
        const bool begins = joining && record.enabled && (!wasEnabled || moves);
        if (begins) record.after = static_cast<int64_t>(joining->after);
        record.updatedAt = now;
        changes.put(webhook, doc::encode(record));
        if (begins) {
          TRY(store::Change joins, joining->change(before[*cursor]));
          changes.set(*cursor, std::move(joins));
        }
        return {};
      });
  if (joining) deps_.dispatcher.joined(*joining);
  if (!done) co_return fail(done.error().clone());
  co_return Result<>();
}

Task<> Webhooks::remove(Access access, std::string name) {
  CO_TRY(const HookPtr known, require(*access.project, name));
  store::Write write = identity::auditedWrite(deps_.auditor, access, {"webhook.deleted", "webhooks/" + name, {}});
  const store::Target webhook = write.change(targetOf(access, name));
  const std::string hookId = known->record.hookId;
  std::vector<store::Target> log = write.change(DeliveryLog::allOf(access.project->info().number, hookId));
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [webhook, log = std::move(log), name, hookId](const store::PreImages& before,
                                                                               store::Changes& changes) -> Result<> {
                                   TRY(const WebhookRecord record, existing(before[webhook], name));
                                   if (record.hookId != hookId) return fail(noWebhook());
                                   changes.remove(webhook);
                                   for (const store::Target each : log) changes.remove(each);
                                   return {};
                                 }));
  co_return Result<>();
}

Task<RotatedSecret> Webhooks::rotate(Access access, std::string name) {
  CO_RETURN_IF_ERROR(require(*access.project, name));
  const std::string secret = newSecret();
  store::Write write = identity::auditedWrite(deps_.auditor, access, {"webhook.rotated", "webhooks/" + name, {}});
  const store::Target webhook = write.change(targetOf(access, name));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [webhook, name, secret, now = deps_.clock.now(), project = access.project->info().id,
       &sender = std::as_const(sender_)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(WebhookRecord record, existing(before[webhook], name));
        record.secret = sender.seal(project, record.hookId, secret);
        record.updatedAt = now;
        changes.put(webhook, doc::encode(record));
        return {};
      }));
  co_return RotatedSecret{secret};
}

Task<> Webhooks::bind(snapshot::SnapshotPtr project, data::CollectionPtr collection) {
  const auto number = static_cast<int64_t>(collection->info.number);
  std::vector<store::WriteTarget> targets;
  std::vector<std::string> hookIds;
  for (const auto& [key, hook] : project->get(slot_).byKey) {
    const WebhookRecord& record = hook->record;
    if (hook->collection != collection->name()) continue;
    if (record.collectionNo == number && record.collection == collection->name()) continue;
    targets.push_back({{project->info().number, kWebhooks, 0}, key});
    hookIds.push_back(record.hookId);
  }
  const auto bound = [hookIds = std::move(hookIds), collection, number](
                         size_t i, const WebhookRecord& record) -> std::optional<WebhookRecord> {
    if (record.hookId != hookIds[i]) return std::nullopt;
    WebhookRecord next = record;
    next.collection = collection->name();
    next.collectionNo = number;
    return next;
  };
  store::WriteOptions options{.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10),
                              .actor = store::upkeepActor(),
                              .bumpEpochs = {project->info().number}};
  co_return co_await store::rewrite<WebhookRecord>(deps_.store, std::move(targets), std::move(options), bound);
}

// ---- manual deliveries

Task<DeliveryView> Webhooks::sendNow(Access access, HookPtr hook, SentEvent event) {
  if (hook->record.secret.empty()) co_return fail(noSecret("called"));
  const snapshot::ProjectInfo& project = access.project->info();
  const Attempt attempt = co_await sender_.send(hook, access.project, event, access.caller.trace);
  logUndelivered(project.id, *hook, attempt);
  DeliveryView entry = entryOf("dlv_" + deps_.ids.next(), event, attempt, 1, deps_.clock.now());
  CO_RETURN_IF_ERROR(co_await log_.add(project.number, hook->record, entry, std::move(event), std::nullopt));
  co_return entry;
}

Task<DeliveryView> Webhooks::test(Access access, std::string name) {
  CO_TRY(HookPtr hook, require(*access.project, name));
  SentEvent event{"evt_" + deps_.ids.next(), "test", hook->collection, std::nullopt, std::nullopt, deps_.clock.now()};
  co_return co_await sendNow(std::move(access), std::move(hook), std::move(event));
}

Task<DeliveryView> Webhooks::redeliver(Access access, std::string name, std::string deliveryId) {
  CO_TRY(HookPtr hook, require(*access.project, name));
  CO_TRY(SentEvent event,
         co_await log_.sentBy(access.project->info().number, hook->record.hookId, std::move(deliveryId)));
  co_return co_await sendNow(std::move(access), std::move(hook), std::move(event));
}

}  // namespace mb::webhooks
