// Documents that a stored test expects to find in a collection, each another one.
#pragma once

#include <optional>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

class ExpectedDocuments {
 public:
  // What `expected` shows outlives it.
  explicit ExpectedDocuments(std::vector<doc::ValueView> expected)
      : expected_(std::move(expected)), candidates_(expected_.size()) {}

  // One that is there; nothing of it is kept.
  void offer(doc::ValueView actual);
  // The first that has no match (document/subset.h) of its own among those offered; nullopt where each has one.
  std::optional<size_t> firstUnmatched() const;

 private:
  std::vector<doc::ValueView> expected_;
  // Which of the offered fit each of them: of no more than there are expected, since of so many one is always left.
  std::vector<std::vector<size_t>> candidates_;
  size_t fitting_ = 0;  // offered so far that are candidates
};

}  // namespace mb::functions
