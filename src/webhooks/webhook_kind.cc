#include "webhooks/webhook_kind.h"

#include <algorithm>
#include <map>

namespace mb::webhooks {

namespace {

using configuration::Change;
using configuration::Entry;
using configuration::Problems;

// A webhook as a document shows it. `enabled` may stand there, and means nothing.
struct Shown {
  std::string name;
  std::string collection;
  std::vector<std::string> events;
  std::string url;
  std::optional<doc::Document> headers;
  std::optional<std::vector<std::string>> fields;
  std::optional<bool> enabled;
  static constexpr auto shape() {
    return doc::shape<Shown>("WebhookEntry", doc::field("name", &Shown::name),
                             doc::field("collection", &Shown::collection), doc::field("events", &Shown::events),
                             doc::field("url", &Shown::url), doc::field("headers", &Shown::headers),
                             doc::field("fields", &Shown::fields), doc::field("enabled", &Shown::enabled));
  }
};

// In the order of the interface, not of the alphabet.
std::vector<std::string> orderedEvents(const std::vector<std::string>& events) {
  std::vector<std::string> ordered;
  for (const char* event : {"insert", "update", "delete"}) {
    if (std::ranges::find(events, event) != events.end()) ordered.emplace_back(event);
  }
  return ordered;
}

Entry entryOf(Shown shown) {
  shown.enabled.reset();
  shown.events = orderedEvents(shown.events);
  shown.headers = sortedHeaders(shown.headers.value_or(doc::Document()));
  if (shown.fields) std::ranges::sort(*shown.fields);
  doc::BsonWriter out;
  doc::encodeValue(out, "", shown);
  const doc::Document whole = out.finish();
  return {std::move(shown.name), doc::Value(whole.view().begin()->value)};
}

Entry entryOf(const WebhookView& view) {
  return entryOf(Shown{view.name, view.collection, view.events, view.url, view.headers, view.fields, std::nullopt});
}

NewWebhook webhookOf(Shown shown) {
  return {std::move(shown.name),  std::move(shown.collection), std::move(shown.events),
          std::move(shown.url),   std::move(shown.headers),    std::nullopt,
          std::move(shown.fields)};
}

WebhookPatch patchOf(Shown shown) {
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

std::optional<Shown> shownAt(doc::ValueView value, const std::string& pointer, Problems& problems) {
  if (!configuration::isEntry(value, pointer, problems)) return std::nullopt;
  Shown shown;
  std::vector<ErrorDetail> details;
  doc::decodeValue(shown, value, pointer, doc::UnknownFields::refuse, details);
  if (details.empty()) {
    for (ErrorDetail& each : problemsOf(webhookOf(shown))) details.push_back({pointer + each.path, each.message});
  }
  for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
  return details.empty() ? std::optional(std::move(shown)) : std::nullopt;
}

}  // namespace

Task<std::vector<Entry>> WebhookKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (const WebhookView& view : webhooks_.list(*project)) entries.push_back(entryOf(view));
  std::ranges::sort(entries, {}, &Entry::name);
  co_return entries;
}

Task<std::vector<Entry>> WebhookKind::merged(Source source, const std::vector<Entry>& standing, Problems& problems) {
  std::map<std::string, std::string> taken;
  for (const Entry& entry : standing) taken.emplace(keyOf(entry.name), entry.name);
  std::map<std::string, std::string> seen;
  std::vector<Entry> merged;
  size_t created = 0;
  configuration::Breather breather;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await breather.breathe();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<Shown> shown = shownAt(value, pointer, problems);
    if (!shown) continue;
    const std::string key = keyOf(shown->name);
    if (const auto [first, isNew] = seen.emplace(key, shown->name); !isNew) {
      problems.add(pointer + "/name", first->second == shown->name
                                          ? fmt::format("\"{}\" stands here twice", shown->name)
                                          : fmt::format("\"{}\" and \"{}\" are too alike", first->second, shown->name));
    }
    const auto other = taken.find(key);
    if (other == taken.end()) {
      ++created;
    } else if (other->second != shown->name) {
      problems.add(pointer + "/name", fmt::format("is too like \"{}\", which the project has", other->second));
    }
    merged.push_back(entryOf(*std::move(shown)));
  }
  if (standing.size() + created > kMostWebhooks) {
    problems.add("/webhooks", fmt::format("would make more than {} webhooks", kMostWebhooks));
  }
  co_return merged;
}

std::vector<std::string> WebhookKind::permissionsFor(const Change& change) const {
  if (change.action == configuration::Action::unchanged) return {};
  return {"webhooks:manage"};
}

Task<> WebhookKind::apply(configuration::Target target, std::vector<Change> changes) {
  for (const Change& change : changes) {
    CO_CHECK(configuration::checkTime(target));
    CO_TRY(Shown shown, doc::decode<Shown>(change.after.view().asDocument()));
    const Access access{target.caller, target.project, target.deadline};
    Result<> done;
    if (change.before) {
      done = co_await webhooks_.change(access, change.name, patchOf(std::move(shown)));
    } else {
      done = co_await webhooks_.import(access, webhookOf(std::move(shown)));
    }
    if (!done) co_return fail(configuration::about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::webhooks
