// A FieldSet is a set of dotted field paths, as in policies (deniedReadFields, immutableFields, allowedWriteFields). A
// path covers everything below it. Array positions are transparent: "a.b" covers b in every element of the array a, and
// the path "a.0.b" is treated as "a.b".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::doc {

class FieldTree;

class FieldSet {
 public:
  FieldSet() = default;
  // REQUIRES: every path is valid (FieldPath::parse). Order and duplicates do not matter.
  explicit FieldSet(std::vector<std::string> paths);

  bool empty() const { return paths_.empty(); }
  const std::vector<std::string>& paths() const { return paths_; }  // sorted, unique
  // True if `path` or one of its parents is in the set. Numeric steps of `path` are read both as positions and as
  // names. Positional steps ("$[]") always count as positions.
  bool covers(std::string_view path) const;
  // covers(path) with every step read as a name: for paths of changedPaths(), whose numbers are never positions.
  bool coversNames(std::string_view path) const;
  // True if covers(path), or if the set has a path below `path`: a filter, index or update on `path` could reveal it.
  // Numeric steps of the set are read both ways too.
  bool touches(std::string_view path) const;
  // The document without the covered fields.
  Document strip(DocumentView view) const;
  // The union of both sets.
  FieldSet unite(const FieldSet& other) const;
  // The set as a tree of steps, for the writers of this module; null if it is empty.
  const FieldTree* tree() const { return tree_.get(); }

 private:
  std::vector<std::string> paths_;
  std::shared_ptr<const FieldTree> tree_;
};

// The dotted paths of the leaves (and of changed containers) in which two documents differ: the actual changes of an
// update or a replace. Values that compare equal (1 and 1.0) and the order of fields do not count; arrays are compared
// as a whole under their own path. Returns at most `limit` paths. A result of that many may be incomplete, so a caller
// that guards fields must refuse it.
std::vector<std::string> changedPaths(DocumentView before, DocumentView after, size_t limit = 10000);

}  // namespace mb::doc
