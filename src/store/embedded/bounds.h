// The ranges of keys that conditions leave of an index.
#pragma once

#include "store/embedded/planner.h"

namespace mb::store::embedded {

// Builds up the ranges field by field: points multiply the prefixes, the first bounds end it.
class IndexBounds {
 public:
  // `conditions` and `met` (the conditions already proved) must outlive it.
  IndexBounds(ProjectNo project, const Index& index, const std::vector<Condition>& conditions, std::vector<bool> met);

  // Fields bounded by points, from the first on.
  size_t pointFields() const { return pointFields_; }
  // Whether any field, or the id behind the fields, is bounded.
  bool bounded() const { return pointFields_ > 0 || interval_; }
  bool singlePoint() const { return prefixes_.size() == 1 && pointFields_ == index_.paths.size(); }
  bool provesAll() const;
  std::vector<KeyRange> ranges() const;

 private:
  struct Interval {
    std::string from;  // behind the prefix; empty: no bound
    std::string to;
  };
  bool takePoints(size_t field);
  void takeInterval(size_t field);
  void takeIds();
  bool usable(const Condition& condition, const std::string& path, const Condition* first) const;

  const Index& index_;
  const std::vector<Condition>& conditions_;
  std::vector<bool> met_;
  std::vector<std::string> prefixes_;
  std::optional<Interval> interval_;
  size_t pointFields_ = 0;
};

}  // namespace mb::store::embedded
