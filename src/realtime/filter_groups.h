// Groups the subscriptions of one collection by their filters: a filter is matched once for all subscriptions that have
// it, and a filter that requires a certain value is matched only with documents that hold the value. Where a set of the
// caller decides too, the group is that of the rule, and finds its members by the values of the sets.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/work_budget.h"
#include "data/event_view.h"
#include "realtime/filter_key.h"
#include "realtime/set_index.h"
#include "realtime/subscription.h"

namespace mb::realtime {

// Work limit of matching one filter with one change (base/work_budget.h).
inline constexpr int64_t kGroupWork = 2'500'000;
// Work limit of all filters of clients together with one state of a document; each gets an equal share, so that costly
// ones do not use up what the others need.
inline constexpr int64_t kClientWork = kCoreWork;

// nullopt where `limit`, or the rest of the thread's WorkBudget, is exceeded.
inline std::optional<bool> matchesInBudget(const doc::Filter& filter, doc::DocumentView document,
                                           int64_t limit = kGroupWork) {
  const WorkBudget work(limit);
  const bool matches = filter.matches(document);
  return WorkBudget::exceeded() ? std::nullopt : std::optional(matches);
}

// Which documents a subscription sees.
struct Visibility {
  doc::Filter filter;                           // of the rule, and of the client
  std::optional<data::EventView::InSet> inSet;  // a condition in addition to it
  bool ofClient = false;                        // `filter` holds conditions of the client
  bool seesAll = false;                         // the rule has no condition
};

struct FilterGroup {
  doc::Filter filter;
  bool ofClient = false;
  bool seesAll = false;
  std::vector<Subscription*> members;         // of a group without a set
  std::unique_ptr<SetIndex> bySet;            // holds the members of a group with one
  size_t leavers = 0;                         // members that get leave events
  std::optional<EqualityCondition> equality;  // its condition in the index; nullopt: in plain_
  std::vector<uint32_t> places;               // by key of `equality`: the place among the groups of that key
  size_t placeInPlain = 0;
  uint64_t seen = 0;  // the last pass that matched it
  const std::string* identity = nullptr;
};

class FilterGroups {
 public:
  FilterGroups() = default;
  FilterGroups(const FilterGroups&) = delete;

  // Adds the subscription, which is in no group, to the group of its visibility.
  void add(Subscription& subscription, Visibility visibility);
  // The same for one that may be in a group. Returns whether it sees other documents than before.
  bool move(Subscription& subscription, Visibility visibility);
  // Removes the subscription from its group, if it is in one.
  void remove(Subscription& subscription);
  size_t size() const { return groups_.size(); }
  // Whether a member gets leave events.
  bool hasLeavers() const { return leavers_ > 0; }

  // Calls visit(Subscription&) once for each member that sees the document. REQUIRES: no subscription is added or
  // removed during the call. Returns the members for which the result is unknown, since matching their filter exceeded
  // its limit or the rest of the thread's WorkBudget.
  template <class Visit>
  std::vector<Subscription*> matching(doc::DocumentView document, Visit visit) {
    return matchAll(document, false, visit);
  }
  // The same, at least for all members with `leave`.
  template <class Visit>
  std::vector<Subscription*> matchingLeavers(doc::DocumentView document, Visit visit) {
    return matchAll(document, true, visit);
  }
  // As matching(), for an unknown document: visits those whose rule lets them see all documents, whatever filter they
  // have themselves.
  template <class Visit>
  void unrestricted(Visit visit) {
    for (const auto& [_, group] : groups_) {
      if (!group->seesAll) continue;
      for (Subscription* member : group->members) visit(*member);
    }
  }

 private:
  struct Entry {
    FilterGroup* group;
    uint32_t key;  // place in `equality->keys`
  };
  struct Index {
    doc::FieldPath path;
    std::unordered_map<uint64_t, std::vector<Entry>> groups;
  };

  template <class Visit>
  std::vector<Subscription*> matchAll(doc::DocumentView document, bool leaversOnly, Visit& visit) {
    std::vector<Subscription*> unknown;
    const auto consider = [&](FilterGroup& group) {
      if (group.seen == pass_ || (leaversOnly && group.leavers == 0)) return;
      group.seen = pass_;
      if (group.ofClient) {
        ofClients_.push_back(&group);
      } else {
        match(group, document, kGroupWork, visit, unknown);
      }
    };
    ++pass_;
    ofClients_.clear();
    for (FilterGroup* group : plain_) consider(*group);
    for (const auto& index : indexes_) {
      forEachKey(document, index->path, [&](uint64_t key) {
        const auto found = index->groups.find(key);
        if (found == index->groups.end()) return;
        for (const Entry& entry : found->second) consider(*entry.group);
      });
    }
    if (ofClients_.empty()) return unknown;
    const int64_t share = std::min(kGroupWork, kClientWork / static_cast<int64_t>(ofClients_.size()));
    for (FilterGroup* group : ofClients_) match(*group, document, share, visit, unknown);
    return unknown;
  }
  template <class Visit>
  static void match(FilterGroup& group, doc::DocumentView document, int64_t limit, Visit& visit,
                    std::vector<Subscription*>& unknown) {
    if (group.bySet) return matchBySet(group, document, limit, visit, unknown);
    const auto matches = matchesInBudget(group.filter, document, limit);
    if (matches && !*matches) return;
    for (Subscription* member : group.members) matches ? visit(*member) : unknown.push_back(member);
  }
  template <class Visit>
  static void matchBySet(FilterGroup& group, doc::DocumentView document, int64_t limit, Visit& visit,
                         std::vector<Subscription*>& unknown) {
    const auto [holders, matches] = holdersOf(group, document, limit);
    if (!holders) {
      group.bySet->forEachMember([&](Subscription& member) { unknown.push_back(&member); });
      return;
    }
    if (matches && !*matches) return;
    for (const SetHolder* holder : *holders) {
      for (Subscription* member : holder->members) matches ? visit(*member) : unknown.push_back(member);
    }
  }
  struct Holders {
    const std::vector<SetHolder*>* found;  // null: unknown
    std::optional<bool> matches;           // whether the filter does; nullopt: unknown
  };
  static Holders holdersOf(const FilterGroup& group, doc::DocumentView document, int64_t limit);
  Index* indexOf(const doc::FieldPath& path) const;
  size_t maxGroupCount(const EqualityCondition& condition) const;
  void join(Subscription& subscription, std::string identity, Visibility visibility);
  void addToIndex(FilterGroup& group);
  void removeFromIndex(FilterGroup& group);

  std::unordered_map<std::string, std::unique_ptr<FilterGroup>> groups_;  // by the keys of their visibility
  std::vector<FilterGroup*> plain_;
  std::vector<std::unique_ptr<Index>> indexes_;  // one a path; policies use few, clients at most kMaxClientPaths
  std::vector<FilterGroup*> ofClients_;          // those of the pass
  size_t leavers_ = 0;                           // members with `leave`
  uint64_t pass_ = 0;
};

// Whether a member of a group sees the document; nullopt where kGroupWork, or the rest of the thread's WorkBudget, is
// exceeded.
std::optional<bool> showsTo(const Subscription& subscription, doc::DocumentView document);

}  // namespace mb::realtime
