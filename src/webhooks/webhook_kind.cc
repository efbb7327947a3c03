#include "webhooks/webhook_kind.h"

#include <algorithm>

#include "store/configuration_limits.h"

namespace mb::webhooks {

namespace {

// In the order of the API, not of the alphabet.
std::vector<std::string> orderedEvents(const std::vector<std::string>& events) {
  std::vector<std::string> ordered;
  for (const char* event : {"insert", "update", "delete"}) {
    if (std::ranges::find(events, event) != events.end()) ordered.emplace_back(event);
  }
  return ordered;
}

NewWebhook webhookOf(WebhookEntry shown) {
  return {std::move(shown.name),  std::move(shown.collection), std::move(shown.events),
          std::move(shown.url),   std::move(shown.headers),    std::nullopt,
          std::move(shown.fields)};
}

WebhookPatch patchOf(WebhookEntry shown) {
  WebhookPatch patch;
  patch.collection = std::move(shown.collection);
  patch.events = std::move(shown.events);
  patch.url = std::move(shown.url);
  if (shown.headers) patch.headers = {doc::Patch<doc::Document>::State::value, *std::move(shown.headers)};
  using Fields = doc::Patch<std::vector<std::string>>;
  patch.fields =
      shown.fields ? Fields{Fields::State::value, *std::move(shown.fields)} : Fields{Fields::State::null, {}};
  return patch;
}

}  // namespace

WebhookKind::WebhookKind(Webhooks& webhooks)
    : NamedKind({.section = "webhooks",
                 .permission = "webhooks:manage",
                 .name = &WebhookEntry::name,
                 .fold = keyOf,
                 .limit = store::kMaxWebhooks,
                 .plural = "webhooks"}),
      webhooks_(webhooks) {}

std::vector<WebhookEntry> WebhookKind::stored(const snapshot::ProjectSnapshot& project) const {
  std::vector<WebhookEntry> all;
  for (const WebhookView& view : webhooks_.list(project)) {
    all.push_back({view.name, view.collection, view.events, view.url, view.headers, view.fields, std::nullopt});
  }
  return all;
}

std::vector<ErrorDetail> WebhookKind::problemsIn(const WebhookEntry& webhook) const {
  return problemsOf(webhookOf(webhook), webhooks_.variables().noValues());
}

void WebhookKind::complete(WebhookEntry& webhook, const Incoming& incoming) const {
  const doc::DocumentView headers = webhook.headers ? webhook.headers->view() : doc::DocumentView();
  const std::vector<HookReference> references = referencesIn(webhook.url, headers);
  if (references.empty()) return;
  const Source& source = incoming.source;
  const variables::Values values = webhooks_.variables().valuesAfter(*source.project, source.document);
  for (ErrorDetail& each : problemsOf(webhookOf(webhook), values)) {
    incoming.problems.add(incoming.pointer + each.path, std::move(each.message));
  }
  if (source.copied || source.allowMissing) return;
  for (const HookReference& each : references) {
    const std::vector<std::string> missing = values.resolve(each.text, each.kind).missing;
    if (!missing.empty()) incoming.problems.add(incoming.pointer + each.path, variables::missingText(missing));
  }
}

Result<> WebhookKind::mayApply(const configuration::Target& target, const configuration::Change& change) const {
  TRY(const WebhookEntry after, doc::decode<WebhookEntry>(change.after.view().asDocument()));
  if (change.before) {
    TRY(const WebhookEntry before, doc::decode<WebhookEntry>(change.before->view().asDocument()));
    if (before.url == after.url && before.headers == after.headers) return {};
  }
  const doc::DocumentView headers = after.headers ? after.headers->view() : doc::DocumentView();
  return webhooks_.maySendSecrets(target.caller, headers, webhooks_.variables().valuesOf(*target.project));
}

WebhookEntry WebhookKind::canonical(WebhookEntry webhook) const {
  webhook.enabled.reset();
  webhook.events = orderedEvents(webhook.events);
  webhook.headers = sortedHeaders(webhook.headers.value_or(doc::Document()));
  if (webhook.fields) std::ranges::sort(*webhook.fields);
  return webhook;
}

Task<> WebhookKind::save(configuration::Target target, WebhookEntry webhook, bool exists) {
  const Access access{target.caller, target.project, target.deadline};
  const std::string name = webhook.name;
  if (exists) co_return co_await webhooks_.change(access, name, patchOf(std::move(webhook)));
  co_return co_await webhooks_.import(access, webhookOf(std::move(webhook)));
}

}  // namespace mb::webhooks
