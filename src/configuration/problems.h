// Everything that is wrong with a document, gathered before anything is done with it.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace mb::configuration {

class Problems {
 public:
  // `pointer` is a JSON pointer into the document. Past kMaxListed they are counted only.
  void add(std::string pointer, std::string message);
  // Everything that `error` says about the value at `pointer`.
  void add(const std::string& pointer, const Error& error);
  bool empty() const { return found_.empty(); }
  // How many there are, the uncounted aside.
  size_t count() const { return found_.size(); }
  // All of them as one error; requires that there are some.
  Error asError() &&;

 private:
  static constexpr size_t kMaxListed = 1000;
  std::vector<ErrorDetail> found_;
  size_t more_ = 0;
};

}  // namespace mb::configuration
