// Dotted paths into documents, with MongoDB's traversal of arrays.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::doc {

class FieldPath {
 public:
  // Fails with validation: empty path or step, a step that starts with "$", NUL, more than 32 steps, more than 1024
  // bytes.
  static Result<FieldPath> parse(std::string_view dotted);
  const std::string& dotted() const { return dotted_; }
  const std::vector<std::string>& steps() const { return steps_; }
  bool operator==(const FieldPath& other) const { return dotted_ == other.dotted_; }

 private:
  std::string dotted_;
  std::vector<std::string> steps_;
};

// Whether only the whole array at the end of a path is visited, or its elements too.
enum class Leaf { wholeOnly, elementsToo };

// Visits the values at a path of a document, as a query does: through documents by name, through arrays both by
// position (a numeric step) and into each element that is a document; at the end, an array itself and, with
// elementsToo, each of its elements. `visit` is called with a value, or with nullopt for "missing here"; it returns
// true to stop. Returns whether it was stopped. Missing is reported once if nothing else was, and for each branch that
// ends early, as MongoDB does for null.
bool walkPath(DocumentView document, const FieldPath& path, Leaf leaf,
              const std::function<bool(std::optional<ValueView>)>& visit);

}  // namespace mb::doc
