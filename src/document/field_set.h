// A set of dotted field paths, as policies name them (deniedReadFields, immutableFields, allowedWriteFields). Naming a
// field covers everything below it. Array positions are transparent: "a.b" covers b in every element of the array a,
// and the path "a.0.b" is judged as "a.b".
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
  // Paths must be valid (parsePath); order and duplicates do not matter.
  explicit FieldSet(std::vector<std::string> paths);

  bool empty() const { return paths_.empty(); }
  const std::vector<std::string>& paths() const { return paths_; }  // sorted, unique
  // `path`, or one of its parents, is in the set. Numeric steps of `path` are tried both as positions and as names.
  // Positional steps ("$[]") always count as positions.
  bool covers(std::string_view path) const;
  // covers(path) with every step taken as a name: for paths that changedPaths gave, whose numbers are never positions.
  bool coversNames(std::string_view path) const;
  // covers(path), or the set names something below `path`: what a filter, index or update on `path` could reveal.
  // Numeric steps of the set are tried both ways too.
  bool touches(std::string_view path) const;
  // The document without the covered fields.
  Document strip(DocumentView view) const;
  // A set of both.
  FieldSet unite(const FieldSet& other) const;
  // The same as a tree of steps, for the writers of this module; null when empty.
  const FieldTree* tree() const { return tree_.get(); }

 private:
  std::vector<std::string> paths_;
  std::shared_ptr<const FieldTree> tree_;
};

// The dotted paths of the leaves (and of changed containers) in which two documents differ: what an update or a replace
// really changed. Values that compare equal (1 and 1.0) have not changed, nor has the order of fields; arrays are
// compared as wholes under their own path. At most `limit` paths: as many as that may be cut short, so a caller that
// guards fields refuses then.
std::vector<std::string> changedPaths(DocumentView before, DocumentView after, size_t limit = 10000);

}  // namespace mb::doc
