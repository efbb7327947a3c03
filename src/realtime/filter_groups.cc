#include "realtime/filter_groups.h"

#include <algorithm>

namespace mb::realtime {

void FilterGroups::add(Subscription& subscription, doc::Filter filter) {
  const auto [found, added] = groups_.try_emplace(identityOf(filter));
  if (added) {
    found->second = std::make_unique<FilterGroup>();
    found->second->identity = &found->first;
    found->second->filter = std::move(filter);
    enterIndex(*found->second);
  }
  FilterGroup& group = *found->second;
  subscription.group = &group;
  subscription.placeInGroup = group.members.size();
  group.members.push_back(&subscription);
}

void FilterGroups::remove(Subscription& subscription) {
  FilterGroup* group = std::exchange(subscription.group, nullptr);
  if (group == nullptr) return;
  Subscription* last = group->members.back();
  group->members[subscription.placeInGroup] = last;
  last->placeInGroup = subscription.placeInGroup;
  group->members.pop_back();
  if (!group->members.empty()) return;
  leaveIndex(*group);
  groups_.erase(groups_.find(*group->identity));
}

FilterGroups::Index* FilterGroups::indexOf(const doc::FieldPath& path) const {
  const auto found = std::ranges::find_if(indexes_, [&](const auto& index) { return index->path == path; });
  return found == indexes_.end() ? nullptr : found->get();
}

// How many groups are looked at, at worst, where a document holds one of the values.
size_t FilterGroups::crowd(const EqualityCondition& condition) const {
  const Index* index = indexOf(condition.path);
  if (index == nullptr) return 0;
  size_t max = 0;
  for (const uint64_t key : condition.keys) {
    const auto found = index->groups.find(key);
    if (found != index->groups.end()) max = std::max(max, found->second.size());
  }
  return max;
}

// Of several conditions the one whose values the fewest others ask for: a status that all share finds nobody.
void FilterGroups::enterIndex(FilterGroup& group) {
  size_t min = SIZE_MAX;
  for (EqualityCondition& condition : equalitiesOf(group.filter)) {
    const size_t others = crowd(condition);
    if (others >= min) continue;
    min = others;
    group.equality = std::move(condition);
  }
  if (!group.equality) {
    plain_.push_back(&group);
    return;
  }
  Index* index = indexOf(group.equality->path);
  if (index == nullptr) {
    index = indexes_.emplace_back(std::make_unique<Index>(Index{group.equality->path, {}})).get();
  }
  for (const uint64_t key : group.equality->keys) index->groups[key].push_back(&group);
}

void FilterGroups::leaveIndex(FilterGroup& group) {
  if (!group.equality) {
    std::erase(plain_, &group);
    return;
  }
  Index* index = indexOf(group.equality->path);
  if (index == nullptr) return;  // of a list without values, which stands under none
  for (const uint64_t key : group.equality->keys) {
    const auto found = index->groups.find(key);
    std::erase(found->second, &group);
    if (found->second.empty()) index->groups.erase(found);
  }
  if (index->groups.empty()) {
    std::erase_if(indexes_, [index](const auto& one) { return one.get() == index; });
  }
}

}  // namespace mb::realtime
