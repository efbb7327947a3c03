// Subscriptions of one collection by what they may see: those with the same filter are judged once, and a filter that
// asks for a certain value is looked at only where the document holds it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/work_budget.h"
#include "realtime/filter_key.h"
#include "realtime/subscription.h"

namespace mb::realtime {

// What matching one filter with one change may cost (base/work_budget.h).
inline constexpr int64_t kGroupWork = 2'500'000;

// Nullopt where that, or what the thread's WorkBudget has left, does not suffice.
inline std::optional<bool> matchesInBudget(const doc::Filter& filter, doc::DocumentView document) {
  const WorkBudget work(kGroupWork);
  const bool matches = filter.matches(document);
  return WorkBudget::exceeded() ? std::nullopt : std::optional(matches);
}

struct FilterGroup {
  doc::Filter filter;
  std::vector<Subscription*> members;
  std::optional<EqualityCondition> equality;  // where it stands in the index; nullopt: among the plain ones
  uint64_t seen = 0;                          // the last document for which it was found
  const std::string* identity = nullptr;
};

class FilterGroups {
 public:
  FilterGroups() = default;
  FilterGroups(const FilterGroups&) = delete;

  // Puts the subscription, which is in no group, into that of `filter`.
  void add(Subscription& subscription, doc::Filter filter);
  // Out of its group, where it is in one.
  void remove(Subscription& subscription);
  size_t size() const { return groups_.size(); }

  // Calls visit(FilterGroup&) once for each group whose filter the document matches. Nothing may be added or removed
  // meanwhile. Returns the groups of whom it is not known, as matching would cost more than kGroupWork, or than the
  // thread's WorkBudget has left.
  template <class Visit>
  std::vector<const FilterGroup*> matching(doc::DocumentView document, Visit visit) {
    std::vector<const FilterGroup*> unknown;
    const auto judge = [&](FilterGroup& group, doc::DocumentView shown, Visit& each) {
      if (!judgeGroup(group, shown, each)) unknown.push_back(&group);
    };
    ++turn_;
    for (FilterGroup* group : plain_) judge(*group, document, visit);
    for (const auto& index : indexes_) {
      forEachKey(document, index->path, [&](uint64_t key) {
        const auto found = index->groups.find(key);
        if (found == index->groups.end()) return;
        for (FilterGroup* group : found->second) judge(*group, document, visit);
      });
    }
    return unknown;
  }
  // The same where the document is not known: groups that are shown everything.
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

  // False where the budget does not suffice.
  template <class Visit>
  bool judgeGroup(FilterGroup& group, doc::DocumentView document, Visit& visit) {
    if (group.seen == turn_) return true;
    group.seen = turn_;
    const auto matches = matchesInBudget(group.filter, document);
    if (matches && *matches) visit(group);
    return matches.has_value();
  }
  Index* indexOf(const doc::FieldPath& path) const;
  size_t crowd(const EqualityCondition& condition) const;
  void enterIndex(FilterGroup& group);
  void leaveIndex(FilterGroup& group);

  std::unordered_map<std::string, std::unique_ptr<FilterGroup>> groups_;  // by identityOf()
  std::vector<FilterGroup*> plain_;
  std::vector<std::unique_ptr<Index>> indexes_;  // one a path; policies name few
  uint64_t turn_ = 0;
};

}  // namespace mb::realtime
