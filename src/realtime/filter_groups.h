// Groups the subscriptions of one collection by their filters: a filter is matched once for all subscriptions that have
// it, and a filter that requires a certain value is matched only with documents that hold the value.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/work_budget.h"
#include "realtime/filter_key.h"
#include "realtime/subscription.h"

namespace mb::realtime {

// Work limit of matching one filter with one change (base/work_budget.h).
inline constexpr int64_t kGroupWork = 2'500'000;

// nullopt where kGroupWork, or the rest of the thread's WorkBudget, is exceeded.
inline std::optional<bool> matchesInBudget(const doc::Filter& filter, doc::DocumentView document) {
  const WorkBudget work(kGroupWork);
  const bool matches = filter.matches(document);
  return WorkBudget::exceeded() ? std::nullopt : std::optional(matches);
}

struct FilterGroup {
  doc::Filter filter;
  std::vector<Subscription*> members;
  std::optional<EqualityCondition> equality;  // its condition in the index; nullopt: in plain_
  uint64_t seen = 0;                          // the last pass that matched it
  const std::string* identity = nullptr;
};

class FilterGroups {
 public:
  FilterGroups() = default;
  FilterGroups(const FilterGroups&) = delete;

  // Adds the subscription, which is in no group, to the group of `filter`.
  void add(Subscription& subscription, doc::Filter filter);
  // Removes the subscription from its group, if it is in one.
  void remove(Subscription& subscription);
  size_t size() const { return groups_.size(); }

  // Calls visit(FilterGroup&) once for each group whose filter the document matches. REQUIRES: no group is added or
  // removed during the call. Returns the groups whose result is unknown, since matching them exceeded kGroupWork or the
  // rest of the thread's WorkBudget.
  template <class Visit>
  std::vector<const FilterGroup*> matching(doc::DocumentView document, Visit visit) {
    std::vector<const FilterGroup*> unknown;
    const auto match = [&](FilterGroup& group, doc::DocumentView matched, Visit& visitor) {
      if (!matchGroup(group, matched, visitor)) unknown.push_back(&group);
    };
    ++pass_;
    for (FilterGroup* group : plain_) match(*group, document, visit);
    for (const auto& index : indexes_) {
      forEachKey(document, index->path, [&](uint64_t key) {
        const auto found = index->groups.find(key);
        if (found == index->groups.end()) return;
        for (FilterGroup* group : found->second) match(*group, document, visit);
      });
    }
    return unknown;
  }
  // As matching(), for an unknown document: visits the groups whose filter matches all documents.
  template <class Visit>
  void unrestricted(Visit visit) {
    for (FilterGroup* group : plain_) {
      if (group->filter.matchesAll()) visit(*group);
    }
  }

 private:
  struct Index {
    doc::FieldPath path;
    std::unordered_map<uint64_t, std::vector<FilterGroup*>> groups;
  };

  // False where the budget is exceeded.
  template <class Visit>
  bool matchGroup(FilterGroup& group, doc::DocumentView document, Visit& visit) {
    if (group.seen == pass_) return true;
    group.seen = pass_;
    const auto matches = matchesInBudget(group.filter, document);
    if (matches && *matches) visit(group);
    return matches.has_value();
  }
  Index* indexOf(const doc::FieldPath& path) const;
  size_t maxGroupCount(const EqualityCondition& condition) const;
  void addToIndex(FilterGroup& group);
  void removeFromIndex(FilterGroup& group);

  std::unordered_map<std::string, std::unique_ptr<FilterGroup>> groups_;  // by identityOf()
  std::vector<FilterGroup*> plain_;
  std::vector<std::unique_ptr<Index>> indexes_;  // one a path; policies use few
  uint64_t pass_ = 0;
};

}  // namespace mb::realtime
