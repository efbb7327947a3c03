// The entries of a compound index for a document in which several of its fields run through one array: a tuple for each
// element, so that an entry holds values that stand together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/path.h"

namespace mb::store::embedded {

class SharedArrays {
 public:
  // Both must outlive this.
  SharedArrays(const std::vector<doc::FieldPath>& paths, std::function<bool(size_t field)> descending)
      : paths_(paths), descending_(std::move(descending)) {}

  enum class Outcome {
    ok,
    apart,  // the fields run through arrays that are not one, or one of them names a position in it
    tooMany,
  };
  // Gathers the distinct tuples, at most `limit`.
  Outcome collect(doc::DocumentView document, size_t limit);
  // The encoded fields of each entry, sorted.
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  // How far a field has been followed.
  struct Place {
    size_t step = 0;
    bool settled = false;
    std::string encoded;
  };
  struct Met {
    size_t field;
    doc::DocumentView array;
  };
  Outcome follow(doc::DocumentView at, std::vector<Place> places);
  // The array that a field meets from `at` on; else it is settled.
  bool meetsArray(doc::DocumentView at, size_t field, Place& place, doc::DocumentView& array) const;
  Outcome expand(const std::vector<Met>& met, const std::vector<Place>& places);
  Outcome add(const std::vector<Place>& places);
  void settle(Place& place, size_t field, const doc::ValueView* value) const;

  const std::vector<doc::FieldPath>& paths_;
  const std::function<bool(size_t)> descending_;
  size_t limit_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace mb::store::embedded
