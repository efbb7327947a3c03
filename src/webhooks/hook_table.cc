#include "webhooks/hook_table.h"

#include <algorithm>
#include <set>

#include "store/record_pages.h"
#include "store/records.h"
#include "webhooks/webhook_rules.h"

namespace mb::webhooks {

namespace {

// The numbers of the followed collections: the one that the webhook was bound to while it exists, else the one that has
// the name. The number that it was bound to is always included: last changes of a dropped collection may still be
// undelivered.
std::set<store::CollectionNo> followed(const WebhookRecord& record, const std::vector<store::CollectionInfo>& all,
                                       std::string& name) {
  const auto bound = static_cast<store::CollectionNo>(record.collectionNo);
  name = record.collection;
  std::set<store::CollectionNo> numbers;
  if (bound != 0) numbers.insert(bound);
  const auto same = std::ranges::find(all, bound, &store::CollectionInfo::number);
  if (bound != 0 && same != all.end()) {
    name = same->name;
    return numbers;
  }
  const auto named = std::ranges::find(all, name, &store::CollectionInfo::name);
  if (named != all.end()) numbers.insert(named->number);
  return numbers;
}

Hook compiled(WebhookRecord record) {
  Hook hook;
  const auto has = [&](std::string_view event) {
    return std::ranges::find(record.events, event) != record.events.end();
  };
  hook.onInsert = has("insert");
  hook.onUpdate = has("update");
  hook.onDelete = has("delete");
  if (record.fields) hook.fields = doc::FieldSet(*record.fields);
  hook.record = std::move(record);
  return hook;
}

}  // namespace

bool Hook::wants(const store::ChangeEntry& change) const {
  if (change.position <= static_cast<uint64_t>(record.after)) return false;
  switch (change.kind) {
    case store::ChangeEntry::Kind::insert:
      return onInsert;
    case store::ChangeEntry::Kind::update:
    case store::ChangeEntry::Kind::replace:
      return onUpdate;
    case store::ChangeEntry::Kind::remove:
      return onDelete;
  }
  return false;
}

HookPtr HookTable::find(std::string_view name) const {
  const auto found = byKey.find(keyOf(name));
  return found == byKey.end() || found->second->record.name != name ? nullptr : found->second;
}

Task<std::shared_ptr<const void>> HookTables::load(snapshot::ProjectInfo project) {
  CO_TRY(const std::vector<doc::Document> found, co_await store::allRecords(store_, {project.number, kWebhooks, 0}));
  auto table = std::make_shared<HookTable>();
  if (found.empty()) co_return std::shared_ptr<const void>(std::move(table));
  CO_TRY(std::vector<WebhookRecord> records, store::fromStore<WebhookRecord>(found));
  CO_TRY(const std::vector<store::CollectionInfo> collections, co_await store_.collections(project.number));
  for (WebhookRecord& record : records) {
    Hook hook = compiled(std::move(record));
    const std::set<store::CollectionNo> numbers = followed(hook.record, collections, hook.collection);
    const auto shared = std::make_shared<const Hook>(std::move(hook));
    table->byKey.emplace(shared->record.id, shared);
    table->byId.emplace(shared->record.hookId, shared);
    if (!shared->live()) continue;
    table->anyLive = true;
    for (const store::CollectionNo number : numbers) table->byCollection[number].push_back(shared);
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

}  // namespace mb::webhooks
