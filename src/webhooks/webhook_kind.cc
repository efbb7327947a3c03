#include "webhooks/webhook_kind.h"

#include <algorithm>

#include "store/configuration_limits.h"

namespace mb::webhooks {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

// A webhook in a document. `enabled` is accepted and ignored.
struct WebhookEntry {
  std::string name;
  std::string collection;
  std::vector<std::string> events;
  std::string url;
  std::optional<doc::Document> headers;
  std::optional<std::vector<std::string>> fields;
  std::optional<bool> enabled;
  static constexpr auto shape() {
    return doc::shape<WebhookEntry>(
        "WebhookEntry", doc::field("name", &WebhookEntry::name), doc::field("collection", &WebhookEntry::collection),
        doc::field("events", &WebhookEntry::events), doc::field("url", &WebhookEntry::url),
        doc::field("headers", &WebhookEntry::headers), doc::field("fields", &WebhookEntry::fields),
        doc::field("enabled", &WebhookEntry::enabled));
  }
};

// In the order of the API, not of the alphabet.
std::vector<std::string> orderedEvents(const std::vector<std::string>& events) {
  std::vector<std::string> ordered;
  for (const char* event : {"insert", "update", "delete"}) {
    if (std::ranges::find(events, event) != events.end()) ordered.emplace_back(event);
  }
  return ordered;
}

Entry entryOf(WebhookEntry shown) {
  shown.enabled.reset();
  shown.events = orderedEvents(shown.events);
  shown.headers = sortedHeaders(shown.headers.value_or(doc::Document()));
  if (shown.fields) std::ranges::sort(*shown.fields);
  return configuration::entryShowing(shown.name, shown);
}

Entry entryOf(const WebhookView& view) {
  return entryOf(
      WebhookEntry{view.name, view.collection, view.events, view.url, view.headers, view.fields, std::nullopt});
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

Task<std::vector<Entry>> WebhookKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const WebhookView& view : webhooks_.list(*project)) entries.push_back(entryOf(view));
  std::ranges::sort(entries, {}, &Entry::name);
  co_return entries;
}

Task<std::vector<Entry>> WebhookKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  configuration::UniqueNameSet names(current, keyOf);
  std::vector<Entry> merged;
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    auto shown = configuration::entryAt<WebhookEntry>(
        value, pointer, problems, [](const WebhookEntry& each) { return problemsOf(webhookOf(each)); });
    if (!shown) continue;
    names.take(shown->name, pointer, problems);
    merged.push_back(entryOf(*std::move(shown)));
  }
  names.checkCount(section(), store::kMaxWebhooks, "webhooks", problems);
  co_return merged;
}

Task<> WebhookKind::applyOne(configuration::Target target, Change change) {
  CO_TRY(WebhookEntry shown, doc::decode<WebhookEntry>(change.after.view().asDocument()));
  const Access access{target.caller, target.project, target.deadline};
  if (change.before) co_return co_await webhooks_.change(access, change.name, patchOf(std::move(shown)));
  co_return co_await webhooks_.import(access, webhookOf(std::move(shown)));
}

}  // namespace mb::webhooks
