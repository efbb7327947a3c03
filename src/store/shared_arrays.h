// Computes the entries of a compound index for a document in which several of its fields run through one array: a tuple
// for each element, so that an entry holds values of one element.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/path.h"

namespace mb::store {

class SharedArrays {
 public:
  // `paths` and what `descending` refers to must outlive this object.
  SharedArrays(const std::vector<doc::FieldPath>& paths, std::function<bool(size_t field)> descending)
      : paths_(paths), descending_(std::move(descending)) {}

  enum class Outcome {
    ok,
    apart,  // the fields run through different arrays, or one of them names a position in the array
    tooMany,
  };
  // Collects the distinct tuples, at most `limit`.
  Outcome collect(doc::DocumentView document, size_t limit);
  // The encoded fields of each entry, sorted.
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  // The progress along the path of a field.
  struct PathState {
    size_t step = 0;
    bool finished = false;
    std::string encoded;
  };
  struct ArrayField {
    size_t field;
    doc::DocumentView array;
  };
  Outcome follow(doc::DocumentView at, std::vector<PathState> states);
  // Finds the next array on the field's path from `at` on; without one, finishes the field.
  bool reachesArray(doc::DocumentView at, size_t field, PathState& state, doc::DocumentView& array) const;
  Outcome expand(const std::vector<ArrayField>& arrays, const std::vector<PathState>& states);
  Outcome add(const std::vector<PathState>& states);
  void finish(PathState& state, size_t field, const doc::ValueView* value) const;

  const std::vector<doc::FieldPath>& paths_;
  const std::function<bool(size_t)> descending_;
  size_t limit_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace mb::store
