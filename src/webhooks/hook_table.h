// The module's slot of the project snapshot: compiled webhooks.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "document/field_set.h"
#include "snapshot/snapshot.h"
#include "store/change_feed.h"
#include "webhooks/webhook_types.h"

namespace mb::webhooks {

struct Hook {
  WebhookRecord record;
  std::string collection;  // its current name
  doc::FieldSet fields;    // empty: the whole document
  bool onInsert = false;
  bool onUpdate = false;  // and on replace
  bool onDelete = false;

  // Whether changes are delivered.
  bool live() const { return record.enabled && !record.secret.empty(); }
  bool wants(const store::ChangeEntry& change) const;
};
using HookPtr = std::shared_ptr<const Hook>;

struct HookTable {
  std::map<std::string, HookPtr, std::less<>> byKey;                           // keyOf(name)
  std::unordered_map<std::string, HookPtr> byId;                               // hookId
  std::unordered_map<store::CollectionNo, std::vector<HookPtr>> byCollection;  // live ones
  bool anyLive = false;

  HookPtr find(std::string_view name) const;  // exact match; null if absent
};

class HookTables final : public snapshot::SlotSource {
 public:
  explicit HookTables(store::DocumentStore& store) : store_(store) {}
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override;

 private:
  store::DocumentStore& store_;
};

}  // namespace mb::webhooks
