#include "realtime/filter_groups.h"

#include <algorithm>

namespace mb::realtime {

void FilterGroups::add(Subscription& subscription, doc::Filter filter) {
  const auto [found, added] = groups_.try_emplace(identityOf(filter));
  if (added) {
    found->second = std::make_unique<FilterGroup>();
    found->second->identity = &found->first;
    found->second->filter = std::move(filter);
    addToIndex(*found->second);
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
  removeFromIndex(*group);
  groups_.erase(groups_.find(*group->identity));
}

FilterGroups::Index* FilterGroups::indexOf(const doc::FieldPath& path) const {
  const auto found = std::ranges::find_if(indexes_, [&](const auto& index) { return index->path == path; });
  return found == indexes_.end() ? nullptr : found->get();
}

// The number of groups to match, at worst, where a document holds one of the values.
size_t FilterGroups::maxGroupCount(const EqualityCondition& condition) const {
  const Index* index = indexOf(condition.path);
  if (index == nullptr) return 0;
  size_t max = 0;
  for (const uint64_t key : condition.keys) {
    const auto found = index->groups.find(key);
    if (found != index->groups.end()) max = std::max(max, found->second.size());
  }
  return max;
}

// Indexes the condition whose values the fewest other groups have: a status that all groups share selects nothing.
void FilterGroups::addToIndex(FilterGroup& group) {
  size_t min = SIZE_MAX;
  for (EqualityCondition& condition : equalitiesOf(group.filter)) {
    const size_t others = maxGroupCount(condition);
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

void FilterGroups::removeFromIndex(FilterGroup& group) {
  if (!group.equality) {
    std::erase(plain_, &group);
    return;
  }
  Index* index = indexOf(group.equality->path);
  if (index == nullptr) return;  // its condition has an empty list of values, so it is not indexed
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
