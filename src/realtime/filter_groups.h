// Subscriptions of one collection by what they may see: those with the same filter are judged once, and a filter that
// asks for a certain value is looked at only where the document holds it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "realtime/filter_key.h"
#include "realtime/subscription.h"

namespace mb::realtime {

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
  // meanwhile.
  template <class Visit>
  void matching(doc::DocumentView document, Visit visit) {
    ++turn_;
    for (FilterGroup* group : plain_) judge(*group, document, visit);
    for (const auto& index : indexes_) {
      forEachKey(document, index->path, [&](uint64_t key) {
        const auto found = index->groups.find(key);
        if (found == index->groups.end()) return;
        for (FilterGroup* group : found->second) judge(*group, document, visit);
      });
    }
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

  template <class Visit>
  void judge(FilterGroup& group, doc::DocumentView document, Visit& visit) {
    if (group.seen == turn_) return;
    group.seen = turn_;
    if (group.filter.matches(document)) visit(group);
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
