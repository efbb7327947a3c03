#include "store/embedded/page_start.h"

#include "store/embedded/keys.h"
#include "store/value_key.h"

namespace mb::store::embedded {

namespace {

KeyOrder everyKey(size_t count) {
  KeyOrder all;
  for (size_t i = 0; i < count; ++i) all.fields.push_back({i, {}});
  return all;
}

// The bytes of the entries at the start, behind their index's prefix or the fixed ones, without the id.
std::string fieldsAt(const PageStart& start, const KeyOrder& keyOrder, bool reversed) {
  std::string bytes;
  for (const KeyOrder::Field& field : keyOrder.fields) {
    const size_t from = bytes.size();
    bytes += field.sortKey ? start.values[*field.sortKey] : std::string_view(field.value);
    if (field.sortKey && reversed) invert(bytes, from);
  }
  return bytes;
}

// The parts of `range` that are read after `group`, the prefix of all keys with the fields at the start; `id` if the
// keys end with ids and all fields before it follow the sort keys.
void narrow(const KeyRange& range, Reading reading, const std::string& group, std::optional<std::string_view> id,
            std::vector<KeyRange>& out) {
  const auto keep = [&](std::string from, std::string to) {
    if (from < range.from) from = range.from;
    if (to.empty() || (!range.to.empty() && range.to < to)) to = range.to;
    if (to.empty() || from < to) out.push_back({std::move(from), std::move(to), range.fixed});
  };
  const std::string last = id ? group + std::string(*id) : std::string();
  switch (reading) {
    case Reading::forward:
    case Reading::merged:
      return keep(id ? last + '\0' : group, {});
    case Reading::backward:
      return keep({}, id ? last : successor(group));
    case Reading::backwardGroups:
      if (!id) return keep({}, successor(group));
      keep({}, group);
      return keep(last + '\0', successor(group));
  }
}

void startAfter(Plan& plan, const SortOrder& order, const PageStart& start) {
  const bool ordered = plan.inOrder || plan.orderedKeys > 0;
  if (plan.kind != Plan::Kind::index || !ordered || (!plan.keyOrder && plan.reading != Reading::merged)) return;
  const KeyOrder keyOrder = plan.keyOrder ? *plan.keyOrder : everyKey(order.keys.size());
  // Documents that an index now has under one value may have had several when the page before was read.
  for (const auto& [key, value] : keyOrder.fixed) {
    if (start.values[key] != value) return;
  }
  const bool reversed = plan.reading == Reading::backward || plan.reading == Reading::backwardGroups;
  const std::string fields = fieldsAt(start, keyOrder, reversed);
  for (AccessPath& path : plan.accessPaths) {
    if (!path.index) continue;
    const bool endsWithId = plan.inOrder && !path.index->spec.unique;
    std::vector<KeyRange> kept;
    for (const KeyRange& range : path.ranges) {
      const size_t prefix = keyOrder.fromStart ? kPrefixBytes : range.fixed;
      narrow(range, plan.reading, range.from.substr(0, prefix) + fields,
             endsWithId ? std::optional(start.id) : std::nullopt, kept);
    }
    path.ranges = std::move(kept);
  }
}

}  // namespace

void startAfter(Candidates& candidates, const SortOrder& order, const PageStart& start) {
  for (Plan& plan : candidates.plans) startAfter(plan, order, start);
  for (Union& branches : candidates.unions) {
    for (std::vector<Plan>& branch : branches) {
      for (Plan& plan : branch) startAfter(plan, order, start);
    }
  }
}

}  // namespace mb::store::embedded
