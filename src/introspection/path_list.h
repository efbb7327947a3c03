// The paths that a report shows.
#pragma once

#include "introspection/report.h"
#include "introspection/sampled_fields.h"

namespace mb::introspection {

// At most kMaxPaths nodes below the root, those of fewer names and items first.
class PathList {
 public:
  // The fields outlive it.
  explicit PathList(const SampledFields& fields);

  bool holds(const PathNode& node) const { return shown_.contains(&node); }
  bool wasCut() const { return wasCut_; }
  // In the order of names, what is below a path after it.
  std::vector<FieldReport> fields() const;

 private:
  void add(const PathNode& node, const std::string& path, std::vector<FieldReport>& out) const;

  const PathNode& root_;
  std::set<const PathNode*> shown_;
  bool wasCut_ = false;
};

// `part` of `whole`, to two decimals; 0 only for nothing, 1 only for all of it.
double shareOf(size_t part, size_t whole);

}  // namespace mb::introspection
