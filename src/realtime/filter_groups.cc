#include "realtime/filter_groups.h"

#include <algorithm>

namespace mb::realtime {

namespace {

// Paths that filters of clients may add to the index: each path is looked up in each change.
constexpr size_t kMaxClientPaths = 16;

// Bytes that are equal only for visibilities that differ in nothing but the values of the set.
std::string keyOfVisibility(const Visibility& visibility) {
  std::string identity = identityOf(visibility.filter);
  identity += visibility.ofClient ? 'c' : 'r';
  identity += visibility.seesAll ? 'a' : 's';
  if (visibility.inSet) identity += visibility.inSet->path.dotted();
  return identity;
}

bool hasValues(const policy::SetValue& one, const policy::SetValue& other) {
  return &one == &other || one.list().raw() == other.list().raw();
}

}  // namespace

void FilterGroups::add(Subscription& subscription, Visibility visibility) {
  std::string identity = keyOfVisibility(visibility);
  join(subscription, std::move(identity), std::move(visibility));
}

bool FilterGroups::move(Subscription& subscription, Visibility visibility) {
  std::string identity = keyOfVisibility(visibility);
  const bool stays = subscription.group != nullptr && *subscription.group->identity == identity;
  bool changes = !stays;
  if (stays) {
    if (!visibility.inSet || subscription.holder->values == visibility.inSet->values) return false;
    changes = !hasValues(*subscription.holder->values, *visibility.inSet->values);
  }
  remove(subscription);
  join(subscription, std::move(identity), std::move(visibility));
  return changes;
}

void FilterGroups::join(Subscription& subscription, std::string identity, Visibility visibility) {
  const auto [found, added] = groups_.try_emplace(std::move(identity));
  if (added) {
    found->second = std::make_unique<FilterGroup>();
    found->second->identity = &found->first;
    found->second->filter = std::move(visibility.filter);
    found->second->ofClient = visibility.ofClient;
    found->second->seesAll = visibility.seesAll;
    if (visibility.inSet) found->second->bySet = std::make_unique<SetIndex>(visibility.inSet->path);
    addToIndex(*found->second);
  }
  FilterGroup& group = *found->second;
  subscription.group = &group;
  group.leavers += subscription.leave ? 1 : 0;
  leavers_ += subscription.leave ? 1 : 0;
  if (visibility.inSet) return group.bySet->add(subscription, visibility.inSet->values);
  subscription.placeInGroup = group.members.size();
  group.members.push_back(&subscription);
}

void FilterGroups::remove(Subscription& subscription) {
  FilterGroup* group = std::exchange(subscription.group, nullptr);
  if (group == nullptr) return;
  group->leavers -= subscription.leave ? 1 : 0;
  leavers_ -= subscription.leave ? 1 : 0;
  if (group->bySet) {
    group->bySet->remove(subscription);
    if (!group->bySet->empty()) return;
  } else {
    Subscription* last = group->members.back();
    group->members[subscription.placeInGroup] = last;
    last->placeInGroup = subscription.placeInGroup;
    group->members.pop_back();
    if (!group->members.empty()) return;
  }
  removeFromIndex(*group);
  groups_.erase(groups_.find(*group->identity));
}

FilterGroups::Holders FilterGroups::holdersOf(const FilterGroup& group, doc::DocumentView document, int64_t limit) {
  const WorkBudget work(limit);
  const auto found = group.bySet->find(document);
  if (!found) return {nullptr, std::nullopt};
  if ((*found)->empty()) return {*found, false};
  const bool matches = group.filter.matches(document);
  return {*found, WorkBudget::exceeded() ? std::nullopt : std::optional(matches)};
}

std::optional<bool> showsTo(const Subscription& subscription, doc::DocumentView document) {
  const FilterGroup* group = subscription.group;
  if (group == nullptr) return false;
  const WorkBudget work(kGroupWork);
  const bool shows = (!group->bySet || group->bySet->shows(*subscription.holder, document)) &&
                     (group->filter.matchesAll() || group->filter.matches(document));
  return WorkBudget::exceeded() ? std::nullopt : std::optional(shows);
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
    if (group.ofClient && indexes_.size() >= kMaxClientPaths && indexOf(condition.path) == nullptr) continue;
    min = others;
    group.equality = std::move(condition);
  }
  if (!group.equality) {
    group.placeInPlain = plain_.size();
    plain_.push_back(&group);
    return;
  }
  Index* index = indexOf(group.equality->path);
  if (index == nullptr) {
    index = indexes_.emplace_back(std::make_unique<Index>(Index{group.equality->path, {}})).get();
  }
  for (uint32_t key = 0; key < group.equality->keys.size(); ++key) {
    std::vector<Entry>& sharing = index->groups[group.equality->keys[key]];
    group.places.push_back(static_cast<uint32_t>(sharing.size()));
    sharing.push_back({&group, key});
  }
}

void FilterGroups::removeFromIndex(FilterGroup& group) {
  if (!group.equality) {
    plain_[group.placeInPlain] = plain_.back();
    plain_[group.placeInPlain]->placeInPlain = group.placeInPlain;
    plain_.pop_back();
    return;
  }
  Index* index = indexOf(group.equality->path);
  if (index == nullptr) return;  // its condition has an empty list of values, so it is not indexed
  for (size_t key = 0; key < group.places.size(); ++key) {
    const auto found = index->groups.find(group.equality->keys[key]);
    std::vector<Entry>& sharing = found->second;
    const Entry last = sharing.back();
    sharing[group.places[key]] = last;
    last.group->places[last.key] = group.places[key];
    sharing.pop_back();
    if (sharing.empty()) index->groups.erase(found);
  }
  if (index->groups.empty()) {
    std::erase_if(indexes_, [index](const auto& one) { return one.get() == index; });
  }
}

}  // namespace mb::realtime
