// A Subject is the caller of an evaluation of rules, with the values of its sets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/caller.h"

namespace mb::policy {

inline constexpr size_t kMaxSetValues = 1'000;

// The values of one set of one caller: distinct strings in ascending order.
class SetValue {
 public:
  // `mark` was taken before the values were read. nullopt: they are too many to be read.
  SetValue(std::optional<std::vector<std::string>> values, store::Mark mark);
  // More than kMaxSetValues: the list is empty, and must not be used.
  bool tooMany() const { return tooMany_; }
  doc::ValueView list() const { return list_.view(); }  // an array
  size_t bytes() const { return list_.view().raw().size(); }
  // Whether the values may have changed since they were read.
  bool changed() const { return mark_.changed(); }

 private:
  bool tooMany_ = false;
  doc::Value list_;
  store::Mark mark_;
};
using SetValuePtr = std::shared_ptr<const SetValue>;

// The sets that a rule names, with the caller's values.
class SetValues {
 public:
  void add(std::string name, SetValuePtr value) { values_.emplace_back(std::move(name), std::move(value)); }
  // Null: a set of this name was not added.
  const SetValue* find(std::string_view name) const { return shared(name).get(); }
  const SetValuePtr& shared(std::string_view name) const;
  bool empty() const { return values_.empty(); }
  // Whether one of them may have changed since it was read.
  bool changed() const;
  // Whether both have the same values, read at the same time.
  bool operator==(const SetValues&) const = default;

 private:
  std::vector<std::pair<std::string, SetValuePtr>> values_;  // at most store::kMaxPolicySets
};

struct Subject {
  // NOLINTNEXTLINE(google-explicit-constructor): a caller without sets is a subject
  Subject(const Caller& c, const SetValues* s = nullptr) : caller(c), sets(s) {}
  const Caller& caller;
  const SetValues* sets;  // null: none
};

}  // namespace mb::policy
