// Finds the subscriptions of one filter group by the values of their callers' sets: a document selects those whose set
// holds a string that is at the path. A few sets are searched for each string; from then on there is an entry for each
// value, so that the number of sets does not count. Used on one core.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "document/path.h"
#include "policy/subject.h"

namespace mb::realtime {

struct Subscription;

// One caller's values, and the subscriptions that have them.
struct SetHolder {
  policy::SetValuePtr values;
  std::vector<std::string_view> texts;  // of `values`, ascending
  std::vector<uint32_t> places;         // by text: the entry's place among those of its key
  std::vector<Subscription*> members;
  size_t place = 0;   // among all holders
  uint64_t seen = 0;  // the last pass that found it
};

class SetIndex {
 public:
  explicit SetIndex(doc::FieldPath path) : path_(std::move(path)) {}
  SetIndex(const SetIndex&) = delete;

  // Costs constant time for each value that is new to the index. `values` is not null.
  void add(Subscription& subscription, const policy::SetValuePtr& values);
  // Constant time for each value that no other subscription has.
  void remove(Subscription& subscription);
  bool empty() const { return all_.empty(); }

  // The holders whose set holds a string at the path, each once; valid until the next call. nullopt where the thread's
  // WorkBudget is exceeded.
  std::optional<std::vector<SetHolder*>*> find(doc::DocumentView document);
  // Whether the set of this holder does; no meaning once the thread's WorkBudget is exceeded.
  bool shows(const SetHolder& holder, doc::DocumentView document) const;
  template <class Visit>
  void forEachMember(Visit visit) {
    for (const auto& holder : all_) {
      for (Subscription* member : holder->members) visit(*member);
    }
  }

 private:
  struct Entry {
    SetHolder* holder;
    uint32_t text;  // place in its `texts`
  };
  void enter(SetHolder& holder);
  void leave(const SetHolder& holder);
  void select(SetHolder& holder);

  const doc::FieldPath path_;
  bool indexed_ = false;  // whether all holders have entries
  std::vector<std::unique_ptr<SetHolder>> all_;
  std::unordered_map<const policy::SetValue*, SetHolder*> byValues_;
  std::unordered_map<uint64_t, std::vector<Entry>> entries_;  // by the key of a text
  std::vector<SetHolder*> found_;
  uint64_t pass_ = 0;
};

}  // namespace mb::realtime
