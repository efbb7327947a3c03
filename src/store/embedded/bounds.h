// The key ranges of an index that satisfy conditions.
#pragma once

#include "store/embedded/planner.h"

namespace mb::store::embedded {

// Builds the ranges field by field: points multiply the prefixes, the first interval is the last field used.
class IndexBounds {
 public:
  // `conditions` and `met` (the conditions that are known to hold) must outlive it.
  IndexBounds(ProjectNo project, const Index& index, const std::vector<Condition>& conditions, std::vector<bool> met);

  // The number of fields bounded by points, from the first field on.
  size_t pointFields() const { return pointFields_; }
  bool allPoints() const { return pointFields_ == index_.paths.size(); }
  // Whether the field is bounded by one point, which is then its only value in all entries of the ranges.
  bool isFixed(size_t field) const { return (fixed_ >> field & 1) != 0; }
  // The encoding of that value. REQUIRES: isFixed(field).
  const std::string& fixedValue(size_t field) const { return fixedValues_[field]; }
  // Whether any field, or the id after the fields, is bounded.
  bool bounded() const { return pointFields_ > 0 || interval_; }
  // Whether the ranges may hold several entries of one document.
  bool mayRepeat() const;
  // For each condition, whether all entries in the ranges satisfy it.
  std::vector<bool> takeMet() { return std::move(met_); }
  std::vector<KeyRange> ranges() const;

 private:
  struct Interval {
    std::string from;  // after the prefix; empty: no bound
    std::string to;
  };
  // Whether this field and an earlier one may run through one array: an entry then holds values of one element, while
  // different elements may satisfy the conditions.
  bool sharesArray(size_t field) const;
  bool takePoints(size_t field);
  void takeInterval(size_t field);
  void takeIds();
  bool usable(const Condition& condition, size_t field, const Condition* first) const;

  const Index& index_;
  const std::vector<Condition>& conditions_;
  const uint32_t multikey_;
  std::vector<bool> met_;
  std::vector<std::string> prefixes_;
  std::optional<Interval> interval_;
  size_t pointFields_ = 0;
  uint32_t fixed_ = 0;
  std::vector<std::string> fixedValues_;  // of the fields bounded by points; empty for one that is not fixed
};

}  // namespace mb::store::embedded
