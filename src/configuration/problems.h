// Collects all problems of a document before any change.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace mb::configuration {

// The details of an error; one without details gets its message as one, of the path "".
std::vector<ErrorDetail> detailsOf(const Error& error);

class Problems {
 public:
  // `pointer` is a JSON pointer into the document. Problems past kMaxListed are only counted.
  void add(std::string pointer, std::string message);
  // Adds every detail of `error`, which is about the value at `pointer`.
  void add(const std::string& pointer, const Error& error);
  bool empty() const { return found_.empty(); }
  // The number of listed problems.
  size_t count() const { return found_.size(); }
  // All problems as one error. REQUIRES: !empty().
  Error asError() &&;

 private:
  static constexpr size_t kMaxListed = 1000;
  std::vector<ErrorDetail> found_;
  size_t more_ = 0;
};

}  // namespace mb::configuration
